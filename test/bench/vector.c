/* The lean loop with a vectorised scan: eight candles (AVX-512) or four (AVX2) are compared at once until one touches floor or ceiling. */
#include <immintrin.h>

#ifdef __AVX512F__
static inline long next_event(const double *low, const double *high, long i, long count, double floor, double ceiling) {
  const __m512d floors = _mm512_set1_pd(floor), ceilings = _mm512_set1_pd(ceiling);
  for (; i + 8 <= count; i += 8) {
    __mmask8 touched = _mm512_cmp_pd_mask(_mm512_loadu_pd(low + i), floors, _CMP_LE_OQ) |
                       _mm512_cmp_pd_mask(_mm512_loadu_pd(high + i), ceilings, _CMP_GE_OQ);
    if (touched) return i + __builtin_ctz(touched);
  }
  while (i < count && low[i] > floor && high[i] < ceiling) i++;
  return i;
}
#else
static inline long next_event(const double *low, const double *high, long i, long count, double floor, double ceiling) {
  const __m256d floors = _mm256_set1_pd(floor), ceilings = _mm256_set1_pd(ceiling);
  for (; i + 4 <= count; i += 4) {
    int touched = _mm256_movemask_pd(_mm256_or_pd(_mm256_cmp_pd(_mm256_loadu_pd(low + i), floors, _CMP_LE_OQ),
                                                  _mm256_cmp_pd(_mm256_loadu_pd(high + i), ceilings, _CMP_GE_OQ)));
    if (touched) return i + __builtin_ctz(touched);
  }
  while (i < count && low[i] > floor && high[i] < ceiling) i++;
  return i;
}
#endif

#define NEXT_EVENT next_event
#include "lean.c"
