import{r as e}from"./rolldown-runtime.js";import{It as t,N as n,W as r,X as i,Z as a,b as o,et as s,f as c,g as l,w as u,x as d}from"./frame.js";import{F as f,Fn as p,I as m,In as h,J as g,R as _,Sn as v,Vn as y,Z as b,_n as x,gn as S,hn as C,k as ee,l as w,pn as T,q as E,vn as D}from"./forms.js";import{b as O,p as te,x as k}from"./vendor.js";import{t as A}from"./Code.js";import{t as j}from"./CopyButton.js";var M={curl:`Shell, with curl`,node:`JavaScript, server`,python:`Python, server`,web:`JavaScript, browser`,react:`React`},N={title:()=>`First run`,lead:()=>`From here to a flag that your own program asks for takes about a minute.`,stepDone:()=>`done`,stepOpen:()=>`open`,flagTitle:()=>`A flag to ask for`,flagText:(e,t)=>`The flag ${e}, in the environment ${t}.`,createFlag:e=>`Create ${e}`,flagThere:e=>`${e} is there.`,keyTitle:()=>`A key for your program`,keyText:()=>`It is shown on this page only, until you leave it. It can be revoked at any time.`,createKey:()=>`Make a key`,keyMade:()=>`The key is made. It is filled in below.`,keyName:()=>`First run`,key:()=>`API key`,copyKey:()=>`Copy the key`,programTitle:()=>`A program that asks`,language:()=>`Language`,languageName:e=>M[e]??e,install:()=>`Install what it needs`,set:()=>`Tell it where to ask, and with which key`,run:()=>`Run it`,paste:()=>`Paste it into a terminal`,call:e=>`Call it with the address ${e} and the key above`,copySetting:()=>`Copy the setting`,copyProgram:()=>`Copy the program`,waitTitle:()=>`Your first evaluation`,waiting:()=>`Waiting for your program to ask.`,arrived:e=>e===null?`It asked, and was answered.`:`It asked: ${h(e,`evaluation`,`evaluations`)} so far.`,toggleTitle:()=>`Now change the answer`,toggleText:()=>`Switch the flag and run the program again. One that follows changes at once.`,toggled:e=>`The flag is ${e?`on`:`off`} now. Run the program again: its answer is ${e?`true`:`false`}.`,toggle:(e,t)=>`${e} in ${t}`,noEnvironment:()=>`No environment`,noEnvironmentText:()=>`The project has none, so there is nowhere to ask.`,finish:()=>`Go to the flags`},P=e(k(),1),F=`# Asks the edge about one user, with whatever rules may look at.
curl --silent --show-error "$HALYARD_EDGE_URL/ofrep/v1/evaluate/flags/new-checkout" \\
  --header "X-API-Key: $HALYARD_API_KEY" \\
  --header 'Content-Type: application/json' \\
  --data '{"context": {"targetingKey": "user-1", "email": "ada@acme.test", "country": "NL"}}'
`,I=`import { OpenFeature } from '@openfeature/server-sdk';
import { OFREPProvider } from '@openfeature/ofrep-provider';

const provider = new OFREPProvider({
  baseUrl: process.env.HALYARD_EDGE_URL,
  headers: [['X-API-Key', process.env.HALYARD_API_KEY]],
});
await OpenFeature.setProviderAndWait(provider);
const flags = OpenFeature.getClient();

// Asks the edge each time: about one user, with whatever rules may look at.
const user = { targetingKey: 'user-1', email: 'ada@acme.test', country: 'NL' };
const isNew = await flags.getBooleanValue('new-checkout', false, user);
console.log(isNew ? 'the new checkout' : 'the old checkout');
`,L=`import os

from openfeature import api
from openfeature.contrib.provider.ofrep import OFREPProvider
from openfeature.evaluation_context import EvaluationContext

api.set_provider(
    OFREPProvider(
        os.environ["HALYARD_EDGE_URL"],
        headers_factory=lambda: {"X-API-Key": os.environ["HALYARD_API_KEY"]},
    )
)
flags = api.get_client()

# Asks the edge each time: about one user, with whatever rules may look at.
user = EvaluationContext("user-1", {"email": "ada@acme.test", "country": "NL"})
is_new = flags.get_boolean_value("new-checkout", False, user)
print("the new checkout" if is_new else "the old checkout")
`,R=`import { OpenFeature, OpenFeatureProvider, useBooleanFlagValue } from '@openfeature/react-sdk';
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';

/** Call it once, before the first rendering. */
export async function connect(edge, clientKey, user) {
  await OpenFeature.setContext(user);
  await OpenFeature.setProviderAndWait(
    new OFREPWebProvider({ baseUrl: edge, headers: [['X-API-Key', clientKey]] }),
  );
}

function Checkout() {
  // Renders again when the flag changes.
  const isNew = useBooleanFlagValue('new-checkout', false);
  return <p>{isNew ? 'the new checkout' : 'the old checkout'}</p>;
}

export function App() {
  return (
    <OpenFeatureProvider>
      <Checkout />
    </OpenFeatureProvider>
  );
}
`,z=`import { OpenFeature, ProviderEvents } from '@openfeature/web-sdk';
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';

/** Fetches all flags for one user, and calls \`show\` with a value now and after each change. */
export async function follow(edge, clientKey, user, show) {
  await OpenFeature.setContext(user);
  await OpenFeature.setProviderAndWait(
    new OFREPWebProvider({ baseUrl: edge, headers: [['X-API-Key', clientKey]] }),
  );
  const flags = OpenFeature.getClient();
  const tell = () => show(flags.getBooleanValue('new-checkout', false));
  tell();
  flags.addHandler(ProviderEvents.ConfigurationChanged, tell);
}
`,B=`new-checkout`,V=[{id:`curl`,install:null,program:F,keyType:`server`},{id:`node`,install:`npm install @openfeature/server-sdk @openfeature/ofrep-provider`,program:I,keyType:`server`},{id:`python`,install:`pip install openfeature-sdk openfeature-provider-ofrep`,program:L,keyType:`server`},{id:`web`,install:`npm install @openfeature/web-sdk @openfeature/ofrep-web-provider`,program:z,keyType:`client`},{id:`react`,install:`npm install @openfeature/react-sdk @openfeature/ofrep-web-provider`,program:R,keyType:`client`}];function H(e,t){return`export HALYARD_EDGE_URL=${e}\nexport HALYARD_API_KEY=${t}`}var U=O(),W=`…`;function G({language:e,onLanguage:t,apiKey:r}){let i=e.keyType===`server`,a=H(location.origin,r??W),o=e.id===`curl`,s=o?`${a}\n${e.program}`:e.program;return(0,U.jsxs)(U.Fragment,{children:[(0,U.jsx)(n,{label:N.language(),choices:V.map(({id:e})=>({id:e,label:N.languageName(e)})),value:e.id,onChange:e=>{let n=V.find(t=>t.id===e);n&&t(n)}}),e.install===null?null:(0,U.jsxs)(U.Fragment,{children:[(0,U.jsx)(`h3`,{children:N.install()}),(0,U.jsx)(A,{label:N.install(),text:e.install})]}),i&&!o?(0,U.jsxs)(U.Fragment,{children:[(0,U.jsx)(`h3`,{children:N.set()}),(0,U.jsx)(A,{label:N.set(),text:a}),(0,U.jsx)(j,{text:a,label:N.copySetting()})]}):null,(0,U.jsx)(`h3`,{children:o?N.paste():i?N.run():N.call(location.origin)}),(0,U.jsx)(A,{label:N.programTitle(),text:s}),(0,U.jsx)(j,{text:s,label:N.copyProgram()})]})}function K(e){return i({queryKey:[`onboarding`,`flag`,e],queryFn:async({signal:t})=>{let n=await _(f.GET(`/v1/projects/{projectID}/flags/{flagKey}`,{params:{path:{projectID:e,flagKey:B}},signal:t}));if(n.ok)return n.data;if(n.refusal.kind===`absent`)return null;throw new E(n.refusal)}})}function q(e,t){return i({queryKey:[`onboarding`,`state`,e,t],queryFn:({signal:n})=>m(f.GET(`/v1/projects/{projectID}/flags/{flagKey}/environments/{envID}`,{params:{path:{projectID:e,flagKey:B,envID:t}},signal:n}))})}function J(e){return i({queryKey:[`onboarding`,`asked`,e],queryFn:async({signal:t})=>{let{counters:n}=await m(f.GET(`/v1/metrics/evaluations`,{signal:t}));return n.filter(({flag_key:t,env_id:n})=>t===`new-checkout`&&n===e).reduce((e,{count:t})=>e+t,0)}})}var Y=i({queryKey:[`onboarding`,`steps`],queryFn:({signal:e})=>m(f.GET(`/v1/onboarding`,{signal:e}))}),X={page:`_page_e9r2b_2`,step:`_step_e9r2b_9`,mark:`_mark_e9r2b_19`,done:`_done_e9r2b_31`,body:`_body_e9r2b_37`};function Z({position:e,title:t,isDone:n,children:r}){return(0,U.jsxs)(`li`,{className:X.step,children:[(0,U.jsxs)(`span`,{className:`${X.mark} ${n?X.done:``}`,children:[n?(0,U.jsx)(v,{size:16,"aria-hidden":!0}):p(e),(0,U.jsx)(`span`,{className:`hidden`,children:n?N.stepDone():N.stepOpen()})]}),(0,U.jsxs)(`div`,{className:X.body,children:[(0,U.jsx)(`h2`,{children:t}),r]})]})}function ne(e,t){if(e===void 0)return null;let n=Object.entries(t).filter(([t,n])=>n&&e[t]===!1);return n.length===0?null:Object.fromEntries(n)}var Q=2e3;function re(e){let t=s(),n=r().permissions.includes(`metrics.read`),i=a({...J(e),enabled:n,refetchInterval:Q}),o=a({...Y,refetchInterval:({state:e})=>n||e.data?.first_evaluation?!1:Q});if(u(({event:n,data:r})=>{if(n!==`usage`)return;let i=r.first_evaluation;i?.env_id===e&&i.flag_key===`new-checkout`&&(t.setQueryData(J(e).queryKey,e=>Math.max(e??0,1)),t.invalidateQueries({queryKey:[`onboarding`]}))}),!n)return{isAsked:o.data?.first_evaluation===!0,count:null};let c=i.data??0;return{isAsked:c>0,count:c}}function ie({project:e,environment:t}){let{permissions:n}=r(),i=s(),[o,l]=(0,P.useState)(V[0]),[u,d]=(0,P.useState)({}),[p,m]=(0,P.useState)(null),h=a(K(e.id)),v=h.data!==void 0&&h.data!==null,x=a({...q(e.id,t.id),enabled:v}),{isAsked:S,count:T}=re(t.id),{data:E}=a(Y),[D,O]=(0,P.useState)(!1),k=ee(),M=(o&&u[o.keyType])??null,F=ne(E,{first_flag_created:v,first_sdk_connected:S,first_evaluation:S}),I=F===null?null:JSON.stringify(F);(0,P.useEffect)(()=>{I!==null&&$(i,JSON.parse(I))},[I,i]);async function L(){m(`flag`);let t=await _(f.POST(`/v1/projects/{projectID}/flags`,{params:{path:{projectID:e.id}},body:{key:B,name:B}}));m(null),!t.ok&&t.refusal.kind!==`conflict`&&y(w(t.refusal)),await i.invalidateQueries({queryKey:[`onboarding`]})}async function R(e){m(`key`);let n=await _(f.POST(`/v1/environments/{envID}/api-keys`,{params:{path:{envID:t.id}},body:{name:N.keyName(),type:e}}));m(null),n.ok?d({...u,[e]:n.data.key}):y(w(n.refusal))}async function z(n){m(`state`);let r=await _(f.PUT(`/v1/projects/{projectID}/flags/{flagKey}/environments/{envID}`,{params:{path:{projectID:e.id,flagKey:B,envID:t.id},query:{wait:`edges`}},body:{enabled:n}}));m(null),r.ok?O(!0):y(w(r.refusal)),await i.invalidateQueries({queryKey:[`onboarding`,`state`]})}return o===void 0?null:(0,U.jsxs)(`ol`,{children:[(0,U.jsx)(Z,{position:1,title:N.flagTitle(),isDone:v,children:v?(0,U.jsx)(`p`,{children:N.flagThere(B)}):(0,U.jsxs)(U.Fragment,{children:[(0,U.jsx)(`p`,{className:`soft`,children:N.flagText(B,t.name)}),(0,U.jsx)(g,{look:`primary`,isDisabled:!n.includes(`flags.create`)||!k,isPending:p===`flag`,onPress:L,children:N.createFlag(B)})]})}),(0,U.jsxs)(Z,{position:2,title:N.keyTitle(),isDone:M!==null,children:[(0,U.jsx)(`p`,{className:`soft`,children:N.keyText()}),M===null?(0,U.jsx)(g,{look:v?`primary`:`secondary`,isDisabled:!n.includes(`api_keys.manage`)||!k,isPending:p===`key`,onPress:()=>void R(o.keyType),children:N.createKey()}):(0,U.jsxs)(U.Fragment,{children:[(0,U.jsx)(`p`,{role:`status`,children:N.keyMade()}),(0,U.jsx)(A,{label:N.key(),text:M}),(0,U.jsx)(j,{text:M,label:N.copyKey()})]})]}),(0,U.jsx)(Z,{position:3,title:N.programTitle(),isDone:S,children:(0,U.jsx)(G,{language:o,onLanguage:l,apiKey:M})}),(0,U.jsx)(Z,{position:4,title:N.waitTitle(),isDone:S,children:S?(0,U.jsx)(C,{tone:`good`,children:N.arrived(T)}):(0,U.jsx)(C,{tone:`note`,children:N.waiting()})}),(0,U.jsxs)(Z,{position:5,title:N.toggleTitle(),isDone:D,children:[(0,U.jsx)(`p`,{className:`soft`,children:N.toggleText()}),(0,U.jsx)(c,{label:N.toggle(B,t.name),isOn:x.data?.enabled===!0,isDisabled:!v||p===`state`||!n.includes(`flags.toggle`)||!k,onChange:e=>void z(e)}),D&&x.data!==void 0?(0,U.jsx)(`p`,{role:`status`,children:N.toggled(x.data.enabled)}):null,(0,U.jsx)(te,{to:`/p/$project/flags`,params:{project:e.slug},className:b(D?`primary`:`secondary`),onClick:()=>void $(i,{tour_completed:!0}),children:N.finish()})]})]})}async function $(e,t){let n=await _(f.PATCH(`/v1/onboarding`,{body:t}));n.ok&&e.setQueryData(Y.queryKey,n.data)}function ae(){T(N.title());let e=l();return e===void 0?(0,U.jsx)(S,{isPage:!0,title:t.flags.noProjectTitle(),children:t.flags.noProject()}):(0,U.jsxs)(`div`,{className:X.page,children:[(0,U.jsxs)(`div`,{className:`stack close`,children:[(0,U.jsx)(`h1`,{children:N.title()}),(0,U.jsx)(`p`,{className:`soft`,children:N.lead()})]}),(0,U.jsx)(oe,{project:e})]})}function oe({project:e}){let{data:t,error:n,refetch:r}=a(o(e.id));if(t===void 0)return n instanceof E?(0,U.jsx)(d,{refusal:n.refusal,onRetry:()=>void r()}):(0,U.jsx)(x,{children:(0,U.jsx)(D,{height:`20rem`})});let i=t.data.find(({slug:e})=>e===`dev`)??t.data[0];return i===void 0?(0,U.jsx)(S,{title:N.noEnvironment(),children:N.noEnvironmentText()}):(0,U.jsx)(ie,{project:e,environment:i})}export{ae as OnboardingPage};