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
export const DIALECT_LIBRARY = `function money(value){if(value===null||value===void 0||typeof value==="number")return value;const read=/^\\s*([+-]?\\d+(?:\\.\\d+)?)(?:\\s*[A-Za-z]{2,10})?\\s*$/.
exec(String(value));if(read===null)return{unread:\`\${JSON.stringify(String(value).slice(0,60))} is no amount\`};return Number(read[1])}export{money};
`
