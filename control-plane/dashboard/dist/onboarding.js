import{r as e}from"./rolldown-runtime.js";import{$ as t,C as n,Ft as r,M as i,U as a,X as o,Y as s,b as c,d as l,h as u,y as d}from"./frame.js";import{F as f,Fn as p,I as m,In as h,J as g,R as _,Sn as v,Vn as y,Z as ee,_n as b,gn as x,hn as S,k as C,l as w,pn as T,q as E,vn as D}from"./forms.js";import{b as O,p as k,x as A}from"./vendor.js";import{t as j}from"./Code.js";import{t as M}from"./CopyButton.js";var N={curl:`Shell, with curl`,node:`JavaScript, server`,python:`Python, server`,web:`JavaScript, browser`,react:`React`},P={title:()=>`First run`,lead:()=>`From here to a flag that your own program asks for takes about a minute.`,stepDone:()=>`done`,stepOpen:()=>`open`,flagTitle:()=>`A flag to ask for`,flagText:(e,t)=>`The flag ${e}, in the environment ${t}.`,createFlag:e=>`Create ${e}`,flagThere:e=>`${e} is there.`,keyTitle:()=>`A key for your program`,keyText:()=>`It is shown on this page only, until you leave it. It can be revoked at any time.`,createKey:()=>`Make a key`,keyMade:()=>`The key is made. It is filled in below.`,keyName:()=>`First run`,key:()=>`API key`,copyKey:()=>`Copy the key`,programTitle:()=>`A program that asks`,language:()=>`Language`,languageName:e=>N[e]??e,install:()=>`Install what it needs`,set:()=>`Tell it where to ask, and with which key`,run:()=>`Run it`,paste:()=>`Paste it into a terminal`,call:e=>`Call it with the address ${e} and the key above`,copySetting:()=>`Copy the setting`,copyProgram:()=>`Copy the program`,waitTitle:()=>`Your first evaluation`,waiting:()=>`Waiting for your program to ask.`,arrived:e=>e===null?`It asked, and was answered.`:`It asked: ${h(e,`evaluation`,`evaluations`)} so far.`,toggleTitle:()=>`Now change the answer`,toggleText:()=>`Switch the flag and run the program again. One that follows changes at once.`,toggled:e=>`The flag is ${e?`on`:`off`} now. Run the program again: its answer is ${e?`true`:`false`}.`,toggle:(e,t)=>`${e} in ${t}`,noEnvironment:()=>`No environment`,noEnvironmentText:()=>`The project has none, so there is nowhere to ask.`,finish:()=>`Go to the flags`},F=e(A(),1),I=`# Asks the edge about one user, with whatever rules may look at.
curl --silent --show-error "$HALYARD_EDGE_URL/ofrep/v1/evaluate/flags/new-checkout" \\
  --header "X-API-Key: $HALYARD_API_KEY" \\
  --header 'Content-Type: application/json' \\
  --data '{"context": {"targetingKey": "user-1", "email": "ada@acme.test", "country": "NL"}}'
`,L=`import { OpenFeature } from '@openfeature/server-sdk';
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
`,R=`import os

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
`,z=`import { OpenFeature, OpenFeatureProvider, useBooleanFlagValue } from '@openfeature/react-sdk';
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
`,B=`import { OpenFeature, ProviderEvents } from '@openfeature/web-sdk';
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
`,V=`new-checkout`,H=[{id:`curl`,install:null,program:I,keyType:`server`},{id:`node`,install:`npm install @openfeature/server-sdk @openfeature/ofrep-provider`,program:L,keyType:`server`},{id:`python`,install:`pip install openfeature-sdk openfeature-provider-ofrep`,program:R,keyType:`server`},{id:`web`,install:`npm install @openfeature/web-sdk @openfeature/ofrep-web-provider`,program:B,keyType:`client`},{id:`react`,install:`npm install @openfeature/react-sdk @openfeature/ofrep-web-provider`,program:z,keyType:`client`}];function U(e,t){return`export HALYARD_EDGE_URL=${e}\nexport HALYARD_API_KEY=${t}`}var W=O(),G=`…`;function K({language:e,onLanguage:t,apiKey:n}){let r=e.keyType===`server`,a=U(location.origin,n??G),o=e.id===`curl`,s=o?`${a}\n${e.program}`:e.program;return(0,W.jsxs)(W.Fragment,{children:[(0,W.jsx)(i,{label:P.language(),choices:H.map(({id:e})=>({id:e,label:P.languageName(e)})),value:e.id,onChange:e=>{let n=H.find(t=>t.id===e);n&&t(n)}}),e.install===null?null:(0,W.jsxs)(W.Fragment,{children:[(0,W.jsx)(`h3`,{children:P.install()}),(0,W.jsx)(j,{label:P.install(),text:e.install})]}),r&&!o?(0,W.jsxs)(W.Fragment,{children:[(0,W.jsx)(`h3`,{children:P.set()}),(0,W.jsx)(j,{label:P.set(),text:a}),(0,W.jsx)(M,{text:a,label:P.copySetting()})]}):null,(0,W.jsx)(`h3`,{children:o?P.paste():r?P.run():P.call(location.origin)}),(0,W.jsx)(j,{label:P.programTitle(),text:s}),(0,W.jsx)(M,{text:s,label:P.copyProgram()})]})}function q(e){return s({queryKey:[`onboarding`,`flag`,e],queryFn:async({signal:t})=>{let n=await _(f.GET(`/v1/projects/{projectID}/flags/{flagKey}`,{params:{path:{projectID:e,flagKey:V}},signal:t}));if(n.ok)return n.data;if(n.refusal.kind===`absent`)return null;throw new E(n.refusal)}})}function te(e,t){return s({queryKey:[`onboarding`,`state`,e,t],queryFn:({signal:n})=>m(f.GET(`/v1/projects/{projectID}/flags/{flagKey}/environments/{envID}`,{params:{path:{projectID:e,flagKey:V,envID:t}},signal:n}))})}function J(e){return s({queryKey:[`onboarding`,`asked`,e],queryFn:async({signal:t})=>{let{counters:n}=await m(f.GET(`/v1/metrics/evaluations`,{signal:t}));return n.filter(({flag_key:t,env_id:n})=>t===`new-checkout`&&n===e).reduce((e,{count:t})=>e+t,0)}})}var Y=s({queryKey:[`onboarding`,`steps`],queryFn:({signal:e})=>m(f.GET(`/v1/onboarding`,{signal:e}))}),X={page:`_page_e9r2b_2`,step:`_step_e9r2b_9`,mark:`_mark_e9r2b_19`,done:`_done_e9r2b_31`,body:`_body_e9r2b_37`};function Z({position:e,title:t,isDone:n,children:r}){return(0,W.jsxs)(`li`,{className:X.step,children:[(0,W.jsxs)(`span`,{className:`${X.mark} ${n?X.done:``}`,children:[n?(0,W.jsx)(v,{size:16,"aria-hidden":!0}):p(e),(0,W.jsx)(`span`,{className:`hidden`,children:n?P.stepDone():P.stepOpen()})]}),(0,W.jsxs)(`div`,{className:X.body,children:[(0,W.jsx)(`h2`,{children:t}),r]})]})}function ne(e,t){if(e===void 0)return null;let n=Object.entries(t).filter(([t,n])=>n&&e[t]===!1);return n.length===0?null:Object.fromEntries(n)}var Q=2e3;function re(e){let r=t(),i=a().permissions.includes(`metrics.read`),s=o({...J(e),enabled:i,refetchInterval:Q}),c=o({...Y,refetchInterval:({state:e})=>i||e.data?.first_evaluation?!1:Q});if(n(({event:t,data:n})=>{if(t!==`usage`)return;let i=n.first_evaluation;i?.env_id===e&&i.flag_key===`new-checkout`&&(r.setQueryData(J(e).queryKey,e=>Math.max(e??0,1)),r.invalidateQueries({queryKey:[`onboarding`]}))}),!i)return{isAsked:c.data?.first_evaluation===!0,count:null};let l=s.data??0;return{isAsked:l>0,count:l}}function ie({project:e,environment:n}){let{permissions:r}=a(),i=t(),[s,c]=(0,F.useState)(H[0]),[u,d]=(0,F.useState)({}),[p,m]=(0,F.useState)(null),h=o(q(e.id)),v=h.data!==void 0&&h.data!==null,b=o({...te(e.id,n.id),enabled:v}),{isAsked:x,count:T}=re(n.id),{data:E}=o(Y),[D,O]=(0,F.useState)(!1),A=C(),N=(s&&u[s.keyType])??null,I=ne(E,{first_flag_created:v,first_sdk_connected:x,first_evaluation:x}),L=I===null?null:JSON.stringify(I);(0,F.useEffect)(()=>{L!==null&&$(i,JSON.parse(L))},[L,i]);async function R(){m(`flag`);let t=await _(f.POST(`/v1/projects/{projectID}/flags`,{params:{path:{projectID:e.id}},body:{key:V,name:V}}));m(null),!t.ok&&t.refusal.kind!==`conflict`&&y(w(t.refusal)),await i.invalidateQueries({queryKey:[`onboarding`]})}async function z(e){m(`key`);let t=await _(f.POST(`/v1/environments/{envID}/api-keys`,{params:{path:{envID:n.id}},body:{name:P.keyName(),type:e}}));m(null),t.ok?d({...u,[e]:t.data.key}):y(w(t.refusal))}async function B(t){m(`state`);let r=await _(f.PUT(`/v1/projects/{projectID}/flags/{flagKey}/environments/{envID}`,{params:{path:{projectID:e.id,flagKey:V,envID:n.id},query:{wait:`edges`}},body:{enabled:t}}));m(null),r.ok?O(!0):y(w(r.refusal)),await i.invalidateQueries({queryKey:[`onboarding`,`state`]})}return s===void 0?null:(0,W.jsxs)(`ol`,{children:[(0,W.jsx)(Z,{position:1,title:P.flagTitle(),isDone:v,children:v?(0,W.jsx)(`p`,{children:P.flagThere(V)}):(0,W.jsxs)(W.Fragment,{children:[(0,W.jsx)(`p`,{className:`soft`,children:P.flagText(V,n.name)}),(0,W.jsx)(g,{look:`primary`,isDisabled:!r.includes(`flags.create`)||!A,isPending:p===`flag`,onPress:R,children:P.createFlag(V)})]})}),(0,W.jsxs)(Z,{position:2,title:P.keyTitle(),isDone:N!==null,children:[(0,W.jsx)(`p`,{className:`soft`,children:P.keyText()}),N===null?(0,W.jsx)(g,{look:v?`primary`:`secondary`,isDisabled:!r.includes(`api_keys.manage`)||!A,isPending:p===`key`,onPress:()=>void z(s.keyType),children:P.createKey()}):(0,W.jsxs)(W.Fragment,{children:[(0,W.jsx)(`p`,{role:`status`,children:P.keyMade()}),(0,W.jsx)(j,{label:P.key(),text:N}),(0,W.jsx)(M,{text:N,label:P.copyKey()})]})]}),(0,W.jsx)(Z,{position:3,title:P.programTitle(),isDone:x,children:(0,W.jsx)(K,{language:s,onLanguage:c,apiKey:N})}),(0,W.jsx)(Z,{position:4,title:P.waitTitle(),isDone:x,children:x?(0,W.jsx)(S,{tone:`good`,children:P.arrived(T)}):(0,W.jsx)(S,{tone:`note`,children:P.waiting()})}),(0,W.jsxs)(Z,{position:5,title:P.toggleTitle(),isDone:D,children:[(0,W.jsx)(`p`,{className:`soft`,children:P.toggleText()}),(0,W.jsx)(l,{label:P.toggle(V,n.name),isOn:b.data?.enabled===!0,isDisabled:!v||p===`state`||!r.includes(`flags.toggle`)||!A,onChange:e=>void B(e)}),D&&b.data!==void 0?(0,W.jsx)(`p`,{role:`status`,children:P.toggled(b.data.enabled)}):null,(0,W.jsx)(k,{to:`/p/$project/flags`,params:{project:e.slug},className:ee(D?`primary`:`secondary`),onClick:()=>void $(i,{tour_completed:!0}),children:P.finish()})]})]})}async function $(e,t){let n=await _(f.PATCH(`/v1/onboarding`,{body:t}));n.ok&&e.setQueryData(Y.queryKey,n.data)}function ae(){T(P.title());let e=u();return e===void 0?(0,W.jsx)(x,{isPage:!0,title:r.flags.noProjectTitle(),children:r.flags.noProject()}):(0,W.jsxs)(`div`,{className:X.page,children:[(0,W.jsxs)(`div`,{className:`stack close`,children:[(0,W.jsx)(`h1`,{children:P.title()}),(0,W.jsx)(`p`,{className:`soft`,children:P.lead()})]}),(0,W.jsx)(oe,{project:e})]})}function oe({project:e}){let{data:t,error:n,refetch:r}=o(d(e.id));if(t===void 0)return n instanceof E?(0,W.jsx)(c,{refusal:n.refusal,onRetry:()=>void r()}):(0,W.jsx)(b,{children:(0,W.jsx)(D,{height:`20rem`})});let i=t.data.find(({slug:e})=>e===`dev`)??t.data[0];return i===void 0?(0,W.jsx)(x,{title:P.noEnvironment(),children:P.noEnvironmentText()}):(0,W.jsx)(ie,{project:e,environment:i})}export{ae as OnboardingPage};