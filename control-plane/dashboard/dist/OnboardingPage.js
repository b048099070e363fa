import{r as e}from"./rolldown-runtime.js";import{R as t,V as n,ct as r,f as i,ht as a,i as o,j as s,ln as c,m as l,x as ee}from"./frame.js";import{$n as u,An as d,C as f,Mn as p,Nn as m,On as h,X as g,c as _,d as v,er as y,ft as te,it as b,jn as x,k as S,l as C,lt as w,s as T,t as E,w as D}from"./forms.js";import{b as O,f as k,y as A}from"./vendor.js";import{t as j}from"./Code.js";import{t as M}from"./CopyButton.js";import{f as N,i as P,n as F,o as I}from"./queries2.js";import{t as L}from"./NoEdgeUrl.js";var R=e(O(),1),z=`# Asks the edge about one user, with whatever rules may look at.
curl --silent --show-error "$HALYARD_EDGE_URL/ofrep/v1/evaluate/flags/new-checkout" \\
  --header "X-API-Key: $HALYARD_API_KEY" \\
  --header 'Content-Type: application/json' \\
  --data '{"context": {"targetingKey": "user-1", "email": "ada@acme.test", "country": "NL"}}'
`,B=`import { OpenFeature } from '@openfeature/server-sdk';
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
`,V=`import os

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
`,H=`import { OpenFeature, OpenFeatureProvider, useBooleanFlagValue } from '@openfeature/react-sdk';
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
`,U=`import { OpenFeature, ProviderEvents } from '@openfeature/web-sdk';
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
`,W=`new-checkout`,G=[{id:`curl`,install:null,program:z,keyType:`server`},{id:`node`,install:`npm install @openfeature/server-sdk @openfeature/ofrep-provider`,program:B,keyType:`server`},{id:`python`,install:`pip install openfeature-sdk openfeature-provider-ofrep`,program:V,keyType:`server`},{id:`web`,install:`npm install @openfeature/web-sdk @openfeature/ofrep-web-provider`,program:U,keyType:`client`},{id:`react`,install:`npm install @openfeature/react-sdk @openfeature/ofrep-web-provider`,program:H,keyType:`client`}];function ne(e,t){return`export HALYARD_EDGE_URL=${e}\nexport HALYARD_API_KEY=${t}`}var re={curl:`Shell, with curl`,node:`JavaScript, server`,python:`Python, server`,web:`JavaScript, browser`,react:`React`},K={title:()=>`Get started`,lead:()=>`Your own code calls its first flag in about a minute.`,stepDone:()=>`done`,stepOpen:()=>`open`,flagTitle:()=>`Create a flag`,flagText:(e,t)=>`Creates the flag ${e}. You use it in the environment ${t}.`,createFlag:e=>`Create ${e}`,flagThere:e=>`${e} is created.`,keyTitle:()=>`Create an API key`,keyText:()=>`Your code uses it to read flags. It is shown on this page until you leave it, and you can revoke it at any time.`,createKey:()=>`Create a key`,keyEarlier:e=>`You created the key ${e}… earlier. Its text cannot be shown again. If you did not save it, replace it: the old key then stops working.`,replaceKey:()=>`Replace the key`,keyMade:()=>`The key is created and filled in below.`,keyName:()=>`Get started`,key:()=>`API key`,copyKey:()=>`Copy the key`,programTitle:()=>`Call it from your code`,language:()=>`Language`,languageName:e=>re[e]??e,install:()=>`Install the packages`,set:()=>`Set the address and the key`,run:()=>`Run it`,paste:()=>`Paste it into a terminal`,call:e=>`Call it with the address ${e} and the key above`,copySetting:()=>`Copy the setting`,copyProgram:()=>`Copy the program`,waitTitle:()=>`See your first evaluation`,waiting:()=>`Waiting for the first call of your code.`,arrived:e=>e===null?`Your code called the flag, and got an answer.`:`Your code called the flag: ${y(e,`evaluation`,`evaluations`)} so far.`,toggleTitle:()=>`Toggle it and watch`,toggleText:()=>`Switch the flag and run the code again. Code that follows changes gets the new value by itself.`,toggled:e=>`The flag is ${e?`on`:`off`}. Run the code again: it gets ${e?`true`:`false`}.`,toggle:(e,t)=>`${e} in ${t}`,noEnvironment:()=>`No environment`,noEnvironmentText:()=>`The project has no environment yet. Create one to continue.`,finish:()=>`Go to the flags`},q=A(),ie=`…`;function ae({language:e,onLanguage:t,apiKey:n}){let r=e.keyType===`server`,{address:i}=E(),a=ne(i,n??ie),o=e.id===`curl`,s=o?`${a}\n${e.program}`:e.program;return(0,q.jsxs)(q.Fragment,{children:[(0,q.jsx)(l,{label:K.language(),choices:G.map(({id:e})=>({id:e,label:K.languageName(e)})),value:e.id,onChange:e=>{let n=G.find(t=>t.id===e);n&&t(n)}}),(0,q.jsx)(L,{}),e.install===null?null:(0,q.jsxs)(q.Fragment,{children:[(0,q.jsx)(`h3`,{children:K.install()}),(0,q.jsx)(j,{label:K.install(),text:e.install})]}),r&&!o?(0,q.jsxs)(q.Fragment,{children:[(0,q.jsx)(`h3`,{children:K.set()}),(0,q.jsx)(j,{label:K.set(),text:a}),(0,q.jsx)(M,{text:a,label:K.copySetting()})]}):null,(0,q.jsx)(`h3`,{children:o?K.paste():r?K.run():K.call(i)}),(0,q.jsx)(j,{label:K.programTitle(),text:s}),(0,q.jsx)(M,{text:s,label:K.copyProgram()})]})}function oe(e,t){return D({queryKey:[`overview`,e,`first-run`,t],queryFn:async({signal:n})=>{let{data:r}=await C(_.GET(`/v1/projects/{projectID}/overview`,{params:{path:{projectID:e},query:{q:W,limit:100}},signal:n})),i=r.find(({key:e})=>e===W),a=i?.states[t];return{isThere:i!==void 0,enabled:a?.enabled===!0,wasChanged:a!==void 0&&a.version>0}}})}function J(e){return D({queryKey:[`onboarding`,`asked`,e],queryFn:async({signal:t})=>{let{counters:n}=await C(_.GET(`/v1/metrics/evaluations`,{signal:t}));return n.filter(({flag_key:t,env_id:n})=>t===`new-checkout`&&n===e).reduce((e,{count:t})=>e+t,0)}})}var Y=D({queryKey:[`onboarding`,`steps`],queryFn:({signal:e})=>C(_.GET(`/v1/onboarding`,{signal:e}))}),X={page:`_page_1vr4g_2`,step:`_step_1vr4g_6`,mark:`_mark_1vr4g_16`,done:`_done_1vr4g_28`,body:`_body_1vr4g_34`};function Z({position:e,title:t,isDone:n,children:r}){return(0,q.jsxs)(`li`,{className:X.step,children:[(0,q.jsxs)(`span`,{className:`${X.mark} ${n?X.done:``}`,children:[n?(0,q.jsx)(c,{size:16,"aria-hidden":!0}):u(e),(0,q.jsx)(`span`,{className:`hidden`,children:n?K.stepDone():K.stepOpen()})]}),(0,q.jsxs)(`div`,{className:X.body,children:[(0,q.jsx)(`h2`,{children:t}),r]})]})}function se(e,t){if(e===void 0)return null;let n=Object.entries(t).filter(([t,n])=>n&&e[t]===!1);return n.length===0?null:Object.fromEntries(n)}function ce(e,t,n){return e.filter(e=>e.type===t&&e.name===K.keyName()&&N(e,n)===`live`).toSorted((e,t)=>Date.parse(t.created_at)-Date.parse(e.created_at))[0]}var Q=2e3;function le(e){let n=a(),i=T().permissions.includes(`metrics.read`),o=r({...J(e),enabled:i,refetchInterval:Q}),s=r({...Y,refetchInterval:({state:e})=>i||e.data?.first_evaluation?!1:Q});if(t(({event:t,data:r})=>{if(t!==`usage`)return;let i=r.first_evaluation;i?.env_id===e&&i.flag_key===`new-checkout`&&(n.setQueryData(J(e).queryKey,e=>Math.max(e??0,1)),n.invalidateQueries({queryKey:[`onboarding`]}))}),!i)return{isAsked:s.data?.first_evaluation===!0,count:null};let c=o.data??0;return{isAsked:c>0,count:c}}function ue({project:e,environment:t}){let{permissions:n}=T(),i=a(),[o,s]=(0,R.useState)(G[0]),[c,l]=(0,R.useState)({}),[u,f]=(0,R.useState)(null),p=r(oe(e.id,t.id)),m=p.data?.isThere===!0,h=r({...P(t.id),enabled:n.includes(`api_keys.read`)}),{isAsked:y,count:x}=le(t.id),{data:C}=r(Y),E=g(),D=(o&&c[o.keyType])??null,O=o&&ce(h.data?.items??[],o.keyType,Date.now()),A=p.data?.wasChanged===!0,N=se(C,{first_flag_created:m,first_sdk_connected:y,first_evaluation:y}),L=N===null?null:JSON.stringify(N);(0,R.useEffect)(()=>{L!==null&&$(i,JSON.parse(L))},[L,i]);async function z(){f(`flag`);let t=await v(_.POST(`/v1/projects/{projectID}/flags`,{params:{path:{projectID:e.id}},body:{key:W,name:W}}));f(null),!t.ok&&t.refusal.kind!==`conflict`&&b(S(t.refusal)),await i.invalidateQueries({queryKey:[`overview`,e.id]})}async function B(e){f(`key`);let n=O===void 0?await F(t.id,{name:K.keyName(),type:e}):await I(O.id,0);f(null),n.ok?l({...c,[e]:n.data}):b(S(n.refusal)),await i.invalidateQueries({queryKey:P(t.id).queryKey})}async function V(n){f(`state`);let r=await v(_.PUT(`/v1/projects/{projectID}/flags/{flagKey}/environments/{envID}`,{params:{path:{projectID:e.id,flagKey:W,envID:t.id},query:{wait:`edges`}},body:{enabled:n}}));f(null),r.ok||b(S(r.refusal)),await i.invalidateQueries({queryKey:[`overview`,e.id]})}return o===void 0?null:(0,q.jsxs)(`ol`,{children:[(0,q.jsx)(Z,{position:1,title:K.flagTitle(),isDone:m,children:m?(0,q.jsx)(`p`,{children:K.flagThere(W)}):(0,q.jsxs)(q.Fragment,{children:[(0,q.jsx)(`p`,{className:`soft`,children:K.flagText(W,t.name)}),(0,q.jsx)(w,{look:`primary`,isDisabled:!n.includes(`flags.create`)||!E,isPending:u===`flag`,onPress:z,children:K.createFlag(W)})]})}),(0,q.jsx)(Z,{position:2,title:K.keyTitle(),isDone:D!==null||O!==void 0,children:D===null?(0,q.jsxs)(q.Fragment,{children:[(0,q.jsx)(`p`,{className:`soft`,children:O===void 0?K.keyText():K.keyEarlier(O.key_prefix)}),(0,q.jsx)(w,{look:m&&O===void 0?`primary`:`secondary`,isDisabled:!n.includes(`api_keys.manage`)||!E,isPending:u===`key`,onPress:()=>void B(o.keyType),children:O===void 0?K.createKey():K.replaceKey()})]}):(0,q.jsxs)(q.Fragment,{children:[(0,q.jsx)(`p`,{role:`status`,children:K.keyMade()}),(0,q.jsx)(j,{label:K.key(),text:D}),(0,q.jsx)(M,{text:D,label:K.copyKey()})]})}),(0,q.jsx)(Z,{position:3,title:K.programTitle(),isDone:y,children:(0,q.jsx)(ae,{language:o,onLanguage:s,apiKey:D})}),(0,q.jsx)(Z,{position:4,title:K.waitTitle(),isDone:y,children:y?(0,q.jsx)(d,{tone:`good`,children:K.arrived(x)}):(0,q.jsx)(d,{tone:`note`,children:K.waiting()})}),(0,q.jsxs)(Z,{position:5,title:K.toggleTitle(),isDone:A,children:[(0,q.jsx)(`p`,{className:`soft`,children:K.toggleText()}),(0,q.jsx)(ee,{label:K.toggle(W,t.name),isOn:p.data?.enabled===!0,isDisabled:!m||u===`state`||!n.includes(`flags.toggle`)||!E,onChange:e=>void V(e)}),A&&p.data!==void 0?(0,q.jsx)(`p`,{role:`status`,children:K.toggled(p.data.enabled)}):null,(0,q.jsx)(k,{to:`/p/$project/flags`,params:{project:e.slug},className:te(A?`primary`:`secondary`),onClick:()=>void $(i,{tour_completed:!0}),children:K.finish()})]})]})}async function $(e,t){let n=await v(_.PATCH(`/v1/onboarding`,{body:t}));n.ok&&e.setQueryData(Y.queryKey,n.data)}function de(){h(K.title());let e=s();return e===void 0?(0,q.jsx)(x,{isPage:!0,title:o.noProjectTitle(),children:o.noProject()}):(0,q.jsxs)(`div`,{className:`page ${X.page}`,children:[(0,q.jsxs)(`div`,{className:`stack close`,children:[(0,q.jsx)(`h1`,{children:K.title()}),(0,q.jsx)(`p`,{className:`soft`,children:K.lead()})]}),(0,q.jsx)(fe,{project:e})]})}function fe({project:e}){let{data:t,error:a,refetch:o}=r(i(e.id));if(t===void 0)return a instanceof f?(0,q.jsx)(n,{refusal:a.refusal,onRetry:()=>void o()}):(0,q.jsx)(p,{children:(0,q.jsx)(m,{height:`20rem`})});let s=t.data.find(({slug:e})=>e===`dev`)??t.data[0];return s===void 0?(0,q.jsx)(x,{title:K.noEnvironment(),children:K.noEnvironmentText()}):(0,q.jsx)(ue,{project:e,environment:s})}export{de as OnboardingPage};