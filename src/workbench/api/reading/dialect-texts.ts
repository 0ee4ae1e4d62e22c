/** Written from `dialect-caller.ts` and `dialect-library.ts` by `test/workbench/api/dialect-texts.test.ts -u`. */
export const DIALECT_CALLER = `var{parse,stringify}=JSON;var{isArray}=Array;var{entries}=Object;var{fromCharCode,fromCodePoint}=String;var TextEncoder=class{encoding="utf-\\
8";encode(text=""){const bytes=[];for(const character of String(text)){const found=character.codePointAt(0)??0;const code=found>=55296&&found<=
57343?65533:found;if(code<128)bytes.push(code);else if(code<2048)bytes.push(192|code>>6,128|code&63);else if(code<65536)bytes.push(224|code>>
12,128|code>>6&63,128|code&63);else bytes.push(240|code>>18,128|code>>12&63,128|code>>6&63,128|code&63)}return new Uint8Array(bytes)}};var TextDecoder=class{encoding="\\
utf-8";fatal;ignoreBOM;constructor(label="utf-8",{fatal=false,ignoreBOM=false}={}){if(!/^\\s*utf-?8\\s*$/i.test(String(label)))throw new RangeError(
\`"\${label}" is not known here: utf-8 is\`);this.fatal=fatal;this.ignoreBOM=ignoreBOM}decode(given=new Uint8Array){const bytes=ArrayBuffer.isView(
given)?new Uint8Array(given.buffer,given.byteOffset,given.byteLength):new Uint8Array(given);let text="";for(let at=0;at<bytes.length;){const{
code,length}=characterAt(bytes,at);if(code===null&&this.fatal)throw new TypeError(\`byte \${at} is not utf-8\`);text+=code===null?"\\uFFFD":fromCodePoint(
code);at+=length}return text.startsWith("\\uFEFF")&&!this.ignoreBOM?text.slice(1):text}};function sequenceOf(first){if(first>=194&&first<=223)
return[1,128,191];if(first>=224&&first<=239)return[2,first===224?160:128,first===237?159:191];if(first>=240&&first<=244)return[3,first===240?
144:128,first===244?143:191];return void 0}function characterAt(bytes,at){const first=bytes[at];if(first<128)return{code:first,length:1};const sequence=sequenceOf(
first);if(sequence===void 0)return{code:null,length:1};const[more,least,most]=sequence;let code=first&63>>more;for(let n=1;n<=more;n++){const byte=bytes[at+
n]??0;if(byte<(n===1?least:128)||byte>(n===1?most:191))return{code:null,length:n};code=code<<6|byte&63}return{code,length:more+1}}var SIXTY_FOUR="\\
ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";function btoa(given){const text=String(given);let written="";for(let at=0;at<
text.length;at+=3){const[a,b,c]=[0,1,2].map(n=>text.charCodeAt(at+n));if(a>255||b>255||c>255)throw new RangeError("btoa takes characters up \\
to U+00FF only");const bits=a<<16|(b||0)<<8|(c||0);written+=SIXTY_FOUR[bits>>18]+SIXTY_FOUR[bits>>12&63];written+=(at+1<text.length?SIXTY_FOUR[bits>>
6&63]:"=")+(at+2<text.length?SIXTY_FOUR[bits&63]:"=")}return written}function atob(given){const packed=String(given).replace(/[\\t\\n\\f\\r ]/g,
"");const text=packed.length%4===0?packed.replace(/==?$/,""):packed;if(text.length%4===1||/[^A-Za-z0-9+/]/.test(text))throw new RangeError("\\
this is not base64");let read="";let bits=0;for(let at=0;at<text.length;at++){bits=(bits<<6|SIXTY_FOUR.indexOf(text[at]))&16777215;if(at%4>0)
read+=fromCharCode(bits>>6-2*(at%4)&255)}return read}var askAddress=()=>"";var PARTS=["href","protocol","username","password","host","hostna\\
me","port","pathname","search","hash"];var URL=class _URL{#parts;#parameters;static canParse(address,base){return partsOf([address,base])!==
null}static parse(address,base){return _URL.canParse(address,base)?new _URL(address,base):null}constructor(address,base){const parts=partsOf(
[address,base]);if(parts===null)throw new TypeError(\`Invalid URL: \${String(address).slice(0,100)}\`);this.#parts=parts;this.#parameters=new URLSearchParams(
parts.search);follow(this.#parameters,search=>this.#change("search",search))}get origin(){return this.#parts.origin}get searchParams(){return this.#parameters}toString(){
return this.#parts.href}toJSON(){return this.#parts.href}static{for(const part of PARTS){Object.defineProperty(_URL.prototype,part,{get(){return this.#parts[part]},
set(value){this.#change(part,String(value));if(part==="search"||part==="href")replaceAll(this.#parameters,this.#parts.search)},enumerable:true,
configurable:true})}}#change(part,value){const parts=partsOf([this.#parts.href,void 0],part,value);if(parts===null)throw new TypeError(\`Inva\\
lid URL: \${value.slice(0,100)}\`);this.#parts=parts}};function partsOf([address,base],part,value){const asked=[String(address),base===void 0?
null:String(base),part??null,value??null];const answer=askAddress(stringify(asked));return answer===""?null:parse(answer)}var follow;var replaceAll;
var URLSearchParams=class{#pairs=[];#take=()=>{};static{follow=(parameters,take)=>{parameters.#take=take};replaceAll=(parameters,search)=>{parameters.#pairs=
readPairs(search)}}constructor(given=""){if(typeof given!=="object"||given===null)this.#pairs=readPairs(String(given));else{const pairs=Symbol.
iterator in given?[...given]:entries(given);this.#pairs=pairs.map(([name,value])=>[String(name),String(value)])}}get size(){return this.#pairs.
length}append(name,value){this.#become([...this.#pairs,[String(name),String(value)]])}delete(name,value){this.#become(this.#pairs.filter(pair=>pair[0]!==
String(name)||value!==void 0&&pair[1]!==String(value)))}get(name){return this.#pairs.find(pair=>pair[0]===String(name))?.[1]??null}getAll(name){
return this.#pairs.filter(pair=>pair[0]===String(name)).map(([,value])=>value)}has(name,value){return this.#pairs.some(pair=>pair[0]===String(
name)&&(value===void 0||pair[1]===String(value)))}set(name,value){const at=this.#pairs.findIndex(pair=>pair[0]===String(name));if(at===-1)this.
append(name,value);else this.#become(this.#pairs.filter((pair,n)=>n<=at||pair[0]!==String(name)).with(at,[String(name),String(value)]))}sort(){
this.#become(this.#pairs.toSorted(([a],[b])=>a<b?-1:a>b?1:0))}forEach(take){for(const[name,value]of this.#pairs)take(value,name,this)}*entries(){
for(const[name,value]of this.#pairs)yield[name,value]}*keys(){for(const[name]of this.#pairs)yield name}*values(){for(const[,value]of this.#pairs)
yield value}[Symbol.iterator](){return this.entries()}toString(){return this.#pairs.map(([name,value])=>\`\${writePart(name)}=\${writePart(value)}\`).
join("&")}#become(pairs){this.#pairs=pairs;this.#take(this.toString())}};function readPairs(search){const parts=search.replace(/^\\?/,"").split(
"&").filter(part=>part!=="");return parts.map(part=>{const at=part.indexOf("=");return at===-1?[readPart(part),""]:[readPart(part.slice(0,at)),
readPart(part.slice(at+1))]})}function readPart(written){const spaced=written.replaceAll("+"," ");if(!spaced.includes("%"))return spaced;const bytes=[];
for(let at=0;at<spaced.length;at++){const hex=spaced[at]==="%"?/^[0-9a-f]{2}/i.exec(spaced.slice(at+1,at+3)):null;if(hex!==null){bytes.push(
Number.parseInt(hex[0],16));at+=2}else{const character=fromCodePoint(spaced.codePointAt(at)??0);bytes.push(...new TextEncoder().encode(character));
at+=character.length-1}}return new TextDecoder("utf-8",{ignoreBOM:true}).decode(new Uint8Array(bytes))}function writePart(text){const sound=new TextDecoder(
"utf-8",{ignoreBOM:true}).decode(new TextEncoder().encode(text));return encodeURIComponent(sound).replace(/[!'()~]/g,character=>\`%\${character.
charCodeAt(0).toString(16).toUpperCase()}\`).replaceAll("%20","+")}function structuredClone(value){return copyOf(value,new Map)}function copyOf(value,known){
if(typeof value==="function"||typeof value==="symbol"){throw Object.assign(new Error(\`a \${typeof value} cannot be cloned\`),{name:"DataCloneE\\
rror"})}if(typeof value!=="object"||value===null)return value;const before=known.get(value);if(before!==void 0)return before;const keep=copy2=>{
known.set(value,copy2);return copy2};if(value instanceof Date)return keep(new Date(value.getTime()));if(value instanceof RegExp)return keep(
new RegExp(value.source,value.flags));if(value instanceof ArrayBuffer)return keep(value.slice(0));if(value instanceof Uint8Array)return keep(
value.slice());if(value instanceof Map){const copy2=keep(new Map);for(const[key,inner]of value)copy2.set(copyOf(key,known),copyOf(inner,known));
return copy2}if(value instanceof Set){const copy2=keep(new Set);for(const inner of value)copy2.add(copyOf(inner,known));return copy2}if(value instanceof
Error)return keep(Object.assign(new Error(value.message),{name:value.name}));const copy=keep(isArray(value)?[]:{});for(const[key,inner]of entries(
value))Reflect.set(copy,key,copyOf(inner,known));return copy}function globalsFor(address){askAddress=address;return{URL,URLSearchParams,TextEncoder,
TextDecoder,atob,btoa,structuredClone}}var{parse:parse2,stringify:stringify2}=JSON;var{isArray:isArray2}=Array;var{entries:entries2,fromEntries,is}=Object;var isFiniteNumber=Number.
isFinite;var settled=Promise.resolve.bind(Promise);function shown(value){if(typeof value==="string")return value;if(value instanceof Error)return describeError(
value);try{return stringify2(value,spell)??String(value)}catch{return textOf(value)}}var LONGEST_LINE=1e3;function consoleOf(log){const say=(...values)=>log(
values.map(shown).join(" ").slice(0,LONGEST_LINE));return fromEntries(["debug","dir","error","info","log","table","trace","warn"].map(name=>[
name,say]))}function spell(_key,value){if(typeof value==="number")return isFiniteNumber(value)?value:{"\\0number":String(value)};return typeof value===
"bigint"?String(value):value}function placeOf(body,list,depth=0){if(is(body,list))return[];if(typeof body!=="object"||body===null||isArray2(
body)||depth===5)return void 0;for(const[key,value]of entries2(body)){const rest=placeOf(value,list,depth+1);if(rest!==void 0)return[key,...rest]}
return void 0}function textOf(value){try{return String(value)}catch{return"what was thrown has no text"}}var moduleName="";function describeError(error){
if(!(error instanceof Error))return\`it threw \${textOf(error).slice(0,LONGEST_LINE)}\`;try{const name=String(error.name);const words=\`\${name===
"Error"?"":\`\${name}: \`}\${String(error.message)}\`.slice(0,LONGEST_LINE);const frame=String(error.stack).split("\\n").find(line=>line.includes(
\`\${moduleName}:\`));const place=frame===void 0?void 0:/:(\\d+:\\d+)\\)?$/.exec(frame)?.[1];return place===void 0?words:\`\${words} (\${moduleName}:\${place}\\
)\`}catch{return"what was thrown has no text"}}var Caller=class{#dialect={};#call={name:"",values:[],each:false};#answers=[];#waiting=0;#error;take(namespace){
const given=namespace.dialect;if(typeof given!=="object"||given===null||isArray2(given))return"null";this.#dialect=given;const members=entries2(
given).map(([name,value])=>[name,{type:typeof value,line:lineOf(value)}]);return stringify2(fromEntries(members))}begin(line){this.#answers=
[];this.#waiting=0;this.#error=void 0;this.#call=parse2(line);const{values,each}=this.#call;const calls=each?values[0].map(item=>[item]):[values];
for(let at=0;at<calls.length&&this.#error===void 0;at++)this.#ask(at,calls[at])}#ask(at,values){try{const value=this.#dialect[this.#call.name](
...values);if(!(value instanceof Promise)){this.#answers[at]=value;return}this.#waiting++;settled(value).then(answer=>{this.#waiting--;this.#answers[at]=
answer},error=>{this.#waiting--;this.#fail(at,describeError(error))})}catch(error){this.#fail(at,describeError(error))}}#fail(at,words){const{
each,values}=this.#call;const where=each&&isArray2(values[0])?\` on item \${at+1} of \${values[0].length}\`:"";this.#error??=\`failed\${where}: \${words}\`}end(){
if(this.#error===void 0&&this.#waiting>0){this.#error="answers a promise that does not settle: nothing here comes later"}if(this.#error!==void 0)
return stringify2({error:this.#error});try{const{each,values}=this.#call;if(each)return stringify2({value:this.#answers},spell);const[value]=this.#answers;
const items=typeof value==="object"&&value!==null?Reflect.get(value,"items"):void 0;const at=isArray2(items)?placeOf(values[0],items):void 0;
return stringify2(at===void 0?{value}:{value:{next:Reflect.get(Object(value),"next")},at},spell)}catch(error){return stringify2({error:\`answ\\
ers what JSON cannot hold: \${describeError(error)}\`})}}};function lineOf(value){const line=typeof value==="function"?Reflect.get(value,"line\\
Number"):void 0;return typeof line==="number"?line:null}function prepare(name,host){moduleName=name;const given={...globalsFor(host.address),
console:consoleOf(host.log)};for(const[global,value]of entries2(given)){Object.defineProperty(globalThis,global,{value,writable:true,configurable:true})}
for(const global of["SharedArrayBuffer","Atomics"])Reflect.deleteProperty(globalThis,global);const caller=new Caller;return{take:namespace=>caller.
take(namespace),begin:line=>caller.begin(line),end:()=>caller.end(),describe:describeError}}export{prepare};
`

/** The module `dcalab`. */
export const DIALECT_LIBRARY = `var AS_WRITTEN={};var LONGEST=100;var PERCENT=/^(?:%|percent|pct)$/i;var UNIT_MS={ms:1,s:1e3,min:6e4,h:36e5,d:864e5,w:6048e5};function form(options){
checkForm(options);return{money:(value,more)=>money(value,{...options,...more}),percent:(value,more)=>percent(value,{...options,...more}),share:(value,more)=>share(
value,{...options,...more}),time:(value,more)=>time(value,{...options,...more}),minutes:(value,more)=>minutes(value,{...options,...more})}}function money(value,options=AS_WRITTEN){
return readNumber(value,options,unit=>refuseUnit(unit,options.unit))}function percent(value,options=AS_WRITTEN){return readNumber(value,options,
unit=>unit===""||PERCENT.test(unit)?null:\`it is in \${unit}, not in percent\`)}function share(value,options=AS_WRITTEN){const read=readNumber(
value,options,unit=>{if(PERCENT.test(unit))return"it is in percent already: read it with percent";return unit===""?null:\`it is in \${unit}, n\\
ot a fraction\`});return typeof read==="number"?hundredfold(read):read}function time(value,options=AS_WRITTEN){checkForm(options);if(isPassed(
value))return value;if(typeof value==="number"||typeof value==="string"&&/^\\s*\\d+(?:\\.\\d+)?\\s*$/.test(value))return timeBySize(value);if(typeof value!==
"string"||value.length>LONGEST)return unread(\`expected a time, found \${shown(value)}\`);const read=timeInText(value.trim(),options);return typeof read===
"number"?read:unread(\`\${shown(value)}\${read}\`)}function minutes(value,options=AS_WRITTEN){checkForm(options);if(isPassed(value))return value;
const bare=UNIT_MS[options.from??"min"];const ms=typeof value==="string"?msInText(value.trim(),bare,options):numberIn(value,bare);if(typeof ms===
"string")return unread(ms===""?\`expected a duration, found \${shown(value)}\`:ms);return ms<0?unread(\`\${shown(value)} is below zero\`):ms/UNIT_MS.
min}var USUAL=/^(-?)(\\d+|[1-9]\\d{0,2}(?:,\\d{3})+(?=\\.))(?:\\.(\\d+))? ?([A-Z]*|%)$/;var SPACES=" \\\\u00a0\\\\u2007\\\\u2009\\\\u202f";var WHOLE=new RegExp(
\`^([^\\\\d.,]*)([.,]?\\\\d(?:[\\\\d.,'\\u2019\${SPACES}]*\\\\d)?\\\\.?(?:e[+-]?\\\\d+)?)([^\\\\d.,]*)$\`,"i");var BEFORE=/^([-−+]?)\\s*(\\(?)\\s*([-−+]?)\\s*([^-−+()]*?)\\s*([-−+]?)\\s*(\\(?)\\s*$/;
var BEHIND=/^\\s*([^-−+()]*?)\\s*(\\)?)\\s*([^-−+()]*?)\\s*$/;function readNumber(value,options,refuse){checkForm(options);if(isPassed(value))
return value;if(typeof value==="number"&&Number.isFinite(value))return signed(value,options);if(typeof value!=="string"||value.length>LONGEST)
return noNumber(value);const usual=options.decimal===","?null:USUAL.exec(value);if(usual!==null){const[,sign,whole="",fraction="0",unit=""]=usual;
const refused2=refuse(unit);return refused2===null?signed(Number(\`\${sign}\${whole.replaceAll(",","")}.\${fraction}\`),options):unread(\`\${shown(
value)}: \${refused2}\`)}const parts=partsOf(value.trim());if(parts===null)return noNumber(value);const{isNegative,digits,units}=parts;if(units.
length>1)return unread(\`\${shown(value)}: it has two units, \${units.join(" and ")}\`);const refused=refuse(units.length===0?"":units[0]);if(refused!==
null)return unread(\`\${shown(value)}: \${refused}\`);const number=readDigits(digits,options.decimal);if(typeof number==="string")return unread(
number.startsWith(digits)?number:\`\${shown(value)}: \${number}\`);return signed(isNegative?-number:number,options)}function partsOf(text){const[
,prefix="",digits="",suffix=""]=WHOLE.exec(text)??[];const before=BEFORE.exec(prefix);const behind=BEHIND.exec(suffix);if(digits===""||before===
null||behind===null)return null;const signs=\`\${before[1]}\${before[3]}\${before[5]}\`;const brackets=\`\${before[2]}\${before[6]}\${behind[2]}\`;const isBracketed=brackets===
"()";const isClear=signs.length+(isBracketed?1:0)<=1&&(isBracketed||brackets==="");if(!isClear||before[4]!==""&&/^[.,]/.test(digits))return null;
return{isNegative:isBracketed||signs==="-"||signs==="\\u2212",digits,units:[before[4],behind[1],behind[3]].filter(unit=>unit!=="")}}function readDigits(text,decimal){
const[,mantissa=text,power="0"]=/^(.*\\d\\.?)e([+-]?\\d+)$/i.exec(text)??[];const mark=decimal??decimalMarkIn(mantissa);if(mark===null){const plain=mantissa.
replace(",","");return\`\${text} is \${plain} or \${mantissa.replace(",",".")}: say which with form({ decimal: '.' })\`}const[whole,fraction="",...more]=mark===
""?[mantissa]:mantissa.split(mark);if(more.length>0)return\`its decimal mark is there \${more.length+1} times\`;if(/\\D/.test(fraction))return"i\\
t has marks behind its decimal mark";const marks=new Set(whole.match(/\\D/g)??[]);if(marks.size>1)return"its groups are parted by different m\\
arks";if(marks.size===1&&!/^[1-9]\\d{0,2}(?:\\D\\d{3})+$/.test(whole))return"its groups are not of three digits";const number=Number(\`\${whole.replace(
/\\D/g,"")||"0"}.\${fraction||"0"}e\${power}\`);if(!Number.isFinite(number))return"it is too large";return number===0&&/[1-9]/.test(mantissa)?"i\\
t is too small":number}function decimalMarkIn(text){const points=text.split(".").length-1;const commas=text.split(",").length-1;if(points>0&&
commas>0)return text.lastIndexOf(".")>text.lastIndexOf(",")?".":",";if(points+commas===0)return"";const only=points>0?".":",";if(/[^\\d.,]/.test(
text))return only;if(points+commas>1)return"";return only===","&&/^[1-9]\\d{0,2},\\d{3}$/.test(text)?null:only}var SIGN_OF_CURRENCY=/^[A-Z]{0,3}[$€£¥₹₩₽₺₴₫฿₿₮Ξ]$/;
var CODE_OF_CURRENCY=/^[A-Z][A-Z0-9]{1,9}$/;var NO_CURRENCY=/^(?:KK|MM|MN|MIO|MILL?|MLN|MLD|BN|BIO|BIL|BLN|MRD|TN|TRN|TRL|TSD|THS|THOUSAND|MILLIONS?|BILLIONS?|LAC|LAKHS?|CRORES?|CR|DR|BPS?|PCT|PERCENT|PIPS?|POINTS?|PTS|CENTS?|SATS?|GWEI|WEI|NAN|INF|[KMBT](?:USD[TC]?|EUR|GBP|BTC|ETH))$/;
function refuseUnit(unit,asked){if(unit==="")return null;if(PERCENT.test(unit))return"it is in percent, not an amount";if(asked!==void 0){if(unit.
toLowerCase()===asked.toLowerCase())return null;return asked===""?\`its unit \${unit} is not expected\`:\`it is in \${unit}, not in \${asked}\`}if(SIGN_OF_CURRENCY.
test(unit)||CODE_OF_CURRENCY.test(unit)&&!NO_CURRENCY.test(unit))return null;return\`\${unit} is no currency that is known: name it with form(\\
{ unit })\`}function signed(number,{absolute=false}){return absolute?Math.abs(number):number}function hundredfold(number){const text=String(number);
return text.includes("e")?number*100:Number(\`\${text}e2\`)}var MONTHS=["jan","feb","mar","apr","may","jun","jul","aug","sep","oct","nov","dec"];
var DAYS=["sun","mon","tue","wed","thu","fri","sat"];var YEAR_FIRST=/^(\\d{4})([-/.])(\\d\\d?)\\2(\\d\\d?)(?:(?:[Tt]|\\s+)(.+))?$/;var YEAR_LAST=/^(\\d\\d?)([-/.])(\\d\\d?)\\2(\\d{4})(?:(?:T|,?\\s+)(.+))?$/i;
var RFC_1123=/^(?:([a-z]{3}),?\\s+)?(\\d\\d?)[\\s-]([a-z]{3})[\\s-](\\d{4})(?:,?\\s+(.+))?$/i;var CLOCK=/^(\\d\\d?):(\\d\\d)(?::(\\d\\d)(?:[.,](\\d+))?)?\\s*([Zz]|[Uu][Tt][Cc]|[Gg][Mm][Tt]|[-−+]\\d\\d(?::?\\d\\d)?)?$/;
var EARLIEST_MS=9466848e5;var LATEST_MS=72581184e5;function timeBySize(value){const number=Number(value);const scale=[1,1e3,1/1e3,1/1e6].find(
factor=>isOfBacktests(number*factor));if(scale===void 0)return unread(\`\${shown(value)} is no time from 2000 to 2200 in s, ms, \\xB5s or ns\`);
return scale===1e3?Math.round(number*scale):Math.floor(number*scale)}function isOfBacktests(ms){return ms>=EARLIEST_MS&&ms<LATEST_MS}function timeInText(text,{
dates,zone}){const date=dateIn(text,dates);if(typeof date==="string")return date;const{year,month,day,weekday,clock}=date;if(year<2e3||year>
2199)return" is before 2000 or after 2199";const midnight=new Date(Date.UTC(year,month-1,day));if(midnight.getUTCMonth()!==month-1||midnight.
getUTCDate()!==day)return": there is no such day";if(weekday!==null&&midnight.getUTCDay()!==weekday)return": that day is no such day of the \\
week";let ms=midnight.getTime();if(clock!==void 0){const ofDay=clockIn(clock,zone);if(typeof ofDay==="string")return ofDay;ms+=ofDay}return isOfBacktests(
ms)?ms:" is before 2000 or after 2199"}function dateIn(text,dates){const iso=YEAR_FIRST.exec(text);if(iso!==null){const[,year2,,month2,day2,
clock2]=iso;return{year:Number(year2),month:Number(month2),day:Number(day2),weekday:null,clock:clock2}}const ordered=YEAR_LAST.exec(text);if(ordered!==
null){if(dates===void 0)return" begins with a day or a month: say which with form({ dates: 'dmy' })";const[,first,,second,year2,clock2]=ordered;
const[day2,month2]=dates==="dmy"?[first,second]:[second,first];return{year:Number(year2),month:Number(month2),day:Number(day2),weekday:null,
clock:clock2}}const[,name,day="",monthName="",year,clock]=RFC_1123.exec(text)??[];const month=MONTHS.indexOf(monthName.toLowerCase())+1;const weekday=name===
void 0?null:DAYS.indexOf(name.toLowerCase());if(month===0||weekday===-1)return" is not a time in a known format";return{year:Number(year),month,
day:Number(day),weekday,clock}}function clockIn(text,zone){const match=CLOCK.exec(text);if(match===null)return" has no time of day in a know\\
n format";const[,hour,minute,second="0",fraction="",ownZone]=match;const named=ownZone??zone;if(named===void 0)return" names no zone: say wh\\
ich with form({ zone: 'UTC' })";const offsetMs=zoneMs(named);const isEnd=Number(hour)===24&&Number(minute)===0&&Number(second)===0&&!/[1-9]/.
test(fraction);if(Number(hour)>23&&!isEnd||Number(minute)>59||Number(second)>59)return": there is no such time of day";if(offsetMs===null)return"\\
: there is no such zone";const ms=Number(hour)*UNIT_MS.h+Number(minute)*UNIT_MS.min+Number(second)*UNIT_MS.s;return ms+Number(\`\${fraction}00\\
0\`.slice(0,3))-offsetMs}function zoneMs(zone){if(zone==="Z"||/^(?:Z|UTC|GMT)$/i.test(zone))return 0;const[,sign,hours,minutes2="0"]=/^([-−+])(\\d\\d)(?::?(\\d\\d))?$/.
exec(zone)??[];if(sign===void 0||Number(hours)>14||Number(minutes2)>59)return null;const ms=Number(hours)*UNIT_MS.h+Number(minutes2)*UNIT_MS.
min;return sign==="+"?ms:-ms}var UNIT_WORDS=[[/^(?:ms|millis|milliseconds?)$/,UNIT_MS.ms],[/^(?:s|secs?|seconds?)$/,UNIT_MS.s],[/^(?:m|mins?|minutes?)$/,
UNIT_MS.min],[/^(?:h|hrs?|hours?)$/,UNIT_MS.h],[/^(?:d|days?)$/,UNIT_MS.d],[/^(?:w|weeks?)$/,UNIT_MS.w]];var ISO_DURATION=/^P(?:([\\d.,]+)W)?(?:([\\d.,]+)D)?(?:T(?:([\\d.,]+)H)?(?:([\\d.,]+)M)?(?:([\\d.,]+)S)?)?$/;
var CLOCK_DURATION=/^(?:(\\d+)(?:\\.|\\s*d(?:ays?)?,?\\s+))?(\\d+):([0-5]\\d):([0-5]\\d(?:\\.\\d+)?)$/;var PAIR=/^([^a-zA-Z]*\\d)\\s*([a-zA-Z]+)(?:\\s*,\\s*|\\s+and\\s+|\\s+|(?=\\d)|$)/;
function msInText(text,bareMs,{decimal}){if(text.length>LONGEST)return"";if(/^\\d+:\\d\\d$/.test(text))return\`\${shown(text)} is hours and minut\\
es, or minutes and seconds\`;const clock=CLOCK_DURATION.exec(text);if(clock!==null){const[,days="0",hours,mins,seconds]=clock;return sumOf([days,
hours,mins,seconds],[UNIT_MS.d,UNIT_MS.h,UNIT_MS.min,UNIT_MS.s],".")}const iso=ISO_DURATION.exec(text);if(iso!==null&&/\\d[WDHMS]$/.test(text)){
return sumOf(iso.slice(1),[UNIT_MS.w,UNIT_MS.d,UNIT_MS.h,UNIT_MS.min,UNIT_MS.s],decimal)}if(!/[a-zA-Z]/.test(text)){const bare=money(text,{unit:"",
...decimal===void 0?{}:{decimal}});return typeof bare==="number"?bare*bareMs:reasonOf(bare)}return msInWords(text,decimal)}function msInWords(text,decimal){
let rest=text;let ms=0;while(rest!==""){const[whole,number,word]=PAIR.exec(rest)??[];const unit=UNIT_WORDS.find(([words])=>word!==void 0&&words.
test(word));if(whole===void 0||number===void 0||unit===void 0)return"";const part=sumOf([number.trim()],[unit[1]],decimal);if(typeof part===
"string")return part;ms+=part;rest=rest.slice(whole.length)}return ms}function sumOf(numbers,units,decimal){let ms=0;for(const[at,text]of numbers.
entries()){const number=text===void 0?0:money(text,{unit:"",...decimal===void 0?{}:{decimal}});if(typeof number!=="number")return reasonOf(number);
ms+=number*units[at]}return ms}function numberIn(value,unitMs){return typeof value==="number"&&Number.isFinite(value)?value*unitMs:""}function isPassed(value){
return value===null||value===void 0||isUnread(value)}function isUnread(value){return typeof value==="object"&&value!==null&&"unread"in value&&
typeof value.unread==="string"}function reasonOf(read){return isUnread(read)?read.unread:""}function noNumber(value){return unread(\`expected\\
 a finite number, found \${shown(value)}\`)}function unread(reason){return{unread:reason}}function shown(value){const text=typeof value==="num\\
ber"||typeof value==="bigint"?String(value):JSON.stringify(value);return(text??typeof value).slice(0,60)}var KNOWN={decimal:value=>value==="\\
."||value===",",unit:value=>typeof value==="string",dates:value=>value==="dmy"||value==="mdy",zone:value=>typeof value==="string"&&zoneMs(value)!==
null,from:value=>typeof value==="string"&&["ms","s","min","h","d"].includes(value),absolute:value=>typeof value==="boolean"};var EXPECTED={decimal:"\\
'.' or ','",unit:"a text",dates:"'dmy' or 'mdy'",zone:"'UTC' or an offset as '+02:00'",from:"'ms', 's', 'min', 'h' or 'd'",absolute:"true or\\
 false"};function checkForm(options){if(options===AS_WRITTEN)return;for(const[name,value]of Object.entries(options)){if(!isOfForm(name))throw new Error(
\`form: \${name} is not known; known are \${Object.keys(KNOWN).join(", ")}\`);if(value!==void 0&&!KNOWN[name](value))throw new Error(\`form: \${name}\\
 is \${shown(value)}; expected \${EXPECTED[name]}\`)}}function isOfForm(name){return Object.hasOwn(KNOWN,name)}export{form,minutes,money,percent,share,time};
`
