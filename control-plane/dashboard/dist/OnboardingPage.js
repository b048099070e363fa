import{r as e}from"./rolldown-runtime.js";import{A as t,B as n,L as r,b as i,cn as a,d as o,mt as s,p as c,st as l}from"./frame.js";import{$n as u,An as d,C as f,Mn as p,Nn as m,On as h,X as g,c as _,d as v,er as y,ft as ee,it as b,jn as x,k as S,l as C,lt as w,s as T,t as E,w as D}from"./forms.js";import{t as O}from"./messages8.js";import{b as k,f as A,y as j}from"./vendor.js";import{t as M}from"./Code.js";import{t as N}from"./CopyButton.js";import{f as P,i as F,n as I,o as L}from"./queries2.js";import{t as R}from"./NoEdgeUrl.js";var z=e(k(),1),B=`# Asks the edge about one user, with whatever rules may look at.
curl --silent --show-error "$HALYARD_EDGE_URL/ofrep/v1/evaluate/flags/new-checkout" \\
  --header "X-API-Key: $HALYARD_API_KEY" \\
  --header 'Content-Type: application/json' \\
  --data '{"context": {"targetingKey": "user-1", "email": "ada@acme.test", "country": "NL"}}'
`,V=`import { OpenFeature } from '@openfeature/server-sdk';
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
`,H=`import os

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
`,U=`import { OpenFeature, OpenFeatureProvider, useBooleanFlagValue } from '@openfeature/react-sdk';
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
`,te=`import { OpenFeature, ProviderEvents } from '@openfeature/web-sdk';
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
`,W=`new-checkout`,G=[{id:`curl`,install:null,program:B,keyType:`server`},{id:`node`,install:`npm install @openfeature/server-sdk @openfeature/ofrep-provider`,program:V,keyType:`server`},{id:`python`,install:`pip install openfeature-sdk openfeature-provider-ofrep`,program:H,keyType:`server`},{id:`web`,install:`npm install @openfeature/web-sdk @openfeature/ofrep-web-provider`,program:te,keyType:`client`},{id:`react`,install:`npm install @openfeature/react-sdk @openfeature/ofrep-web-provider`,program:U,keyType:`client`}];function ne(e,t){return`export HALYARD_EDGE_URL=${e}\nexport HALYARD_API_KEY=${t}`}var re={curl:`Shell, with curl`,node:`JavaScript, server`,python:`Python, server`,web:`JavaScript, browser`,react:`React`},K={title:()=>`Get started`,lead:()=>`Your own code calls its first flag in about a minute.`,stepDone:()=>`done`,stepOpen:()=>`open`,flagTitle:()=>`Create a flag`,flagText:(e,t)=>`Creates the flag ${e}. You use it in the environment ${t}.`,createFlag:e=>`Create ${e}`,flagThere:e=>`${e} is created.`,keyTitle:()=>`Create an API key`,keyText:()=>`Your code uses it to read flags. It is shown on this page until you leave it, and you can revoke it at any time.`,createKey:()=>`Create a key`,keyEarlier:e=>`You created the key ${e}… earlier. Its text cannot be shown again. If you did not save it, replace it: the old key then stops working.`,replaceKey:()=>`Replace the key`,keyMade:()=>`The key is created and filled in below.`,keyName:()=>`Get started`,key:()=>`API key`,copyKey:()=>`Copy the key`,programTitle:()=>`Call it from your code`,language:()=>`Language`,languageName:e=>re[e]??e,install:()=>`Install the packages`,set:()=>`Set the address and the key`,run:()=>`Run it`,paste:()=>`Paste it into a terminal`,call:e=>`Call it with the address ${e} and the key above`,copySetting:()=>`Copy the setting`,copyProgram:()=>`Copy the program`,waitTitle:()=>`See your first evaluation`,waiting:()=>`Waiting for the first call of your code.`,arrived:e=>e===null?`Your code called the flag, and got an answer.`:`Your code called the flag: ${y(e,`evaluation`,`evaluations`)} so far.`,toggleTitle:()=>`Toggle it and watch`,toggleText:()=>`Switch the flag and run the code again. Code that follows changes gets the new value by itself.`,toggled:e=>`The flag is ${e?`on`:`off`}. Run the code again: it gets ${e?`true`:`false`}.`,toggle:(e,t)=>`${e} in ${t}`,noEnvironment:()=>`No environment`,noEnvironmentText:()=>`The project has no environment yet. Create one to continue.`,finish:()=>`Go to the flags`},q=j(),ie=`…`;function ae({language:e,onLanguage:t,apiKey:n}){let r=e.keyType===`server`,{address:i}=E(),a=ne(i,n??ie),o=e.id===`curl`,s=o?`${a}\n${e.program}`:e.program;return(0,q.jsxs)(q.Fragment,{children:[(0,q.jsx)(c,{label:K.language(),choices:G.map(({id:e})=>({id:e,label:K.languageName(e)})),value:e.id,onChange:e=>{let n=G.find(t=>t.id===e);n&&t(n)}}),(0,q.jsx)(R,{}),e.install===null?null:(0,q.jsxs)(q.Fragment,{children:[(0,q.jsx)(`h3`,{children:K.install()}),(0,q.jsx)(M,{label:K.install(),text:e.install})]}),r&&!o?(0,q.jsxs)(q.Fragment,{children:[(0,q.jsx)(`h3`,{children:K.set()}),(0,q.jsx)(M,{label:K.set(),text:a}),(0,q.jsx)(N,{text:a,label:K.copySetting()})]}):null,(0,q.jsx)(`h3`,{children:o?K.paste():r?K.run():K.call(i)}),(0,q.jsx)(M,{label:K.programTitle(),text:s}),(0,q.jsx)(N,{text:s,label:K.copyProgram()})]})}function oe(e,t){return D({queryKey:[`overview`,e,`first-run`,t],queryFn:async({signal:n})=>{let{data:r}=await C(_.GET(`/v1/projects/{projectID}/overview`,{params:{path:{projectID:e},query:{q:W,limit:100}},signal:n})),i=r.find(({key:e})=>e===W),a=i?.states[t];return{isThere:i!==void 0,enabled:a?.enabled===!0,wasChanged:a!==void 0&&a.version>0}}})}function J(e){return D({queryKey:[`onboarding`,`asked`,e],queryFn:async({signal:t})=>{let{counters:n}=await C(_.GET(`/v1/metrics/evaluations`,{signal:t}));return n.filter(({flag_key:t,env_id:n})=>t===`new-checkout`&&n===e).reduce((e,{count:t})=>e+t,0)}})}var Y=D({queryKey:[`onboarding`,`steps`],queryFn:({signal:e})=>C(_.GET(`/v1/onboarding`,{signal:e}))}),X={page:`_page_1vr4g_2`,step:`_step_1vr4g_6`,mark:`_mark_1vr4g_16`,done:`_done_1vr4g_28`,body:`_body_1vr4g_34`};function Z({position:e,title:t,isDone:n,children:r}){return(0,q.jsxs)(`li`,{className:X.step,children:[(0,q.jsxs)(`span`,{className:`${X.mark} ${n?X.done:``}`,children:[n?(0,q.jsx)(a,{size:16,"aria-hidden":!0}):u(e),(0,q.jsx)(`span`,{className:`hidden`,children:n?K.stepDone():K.stepOpen()})]}),(0,q.jsxs)(`div`,{className:X.body,children:[(0,q.jsx)(`h2`,{children:t}),r]})]})}function se(e,t){if(e===void 0)return null;let n=Object.entries(t).filter(([t,n])=>n&&e[t]===!1);return n.length===0?null:Object.fromEntries(n)}function ce(e,t,n){return e.filter(e=>e.type===t&&e.name===K.keyName()&&P(e,n)===`live`).toSorted((e,t)=>Date.parse(t.created_at)-Date.parse(e.created_at))[0]}var Q=2e3;function le(e){let t=s(),n=T().permissions.includes(`metrics.read`),i=l({...J(e),enabled:n,refetchInterval:Q}),a=l({...Y,refetchInterval:({state:e})=>n||e.data?.first_evaluation?!1:Q});if(r(({event:n,data:r})=>{if(n!==`usage`)return;let i=r.first_evaluation;i?.env_id===e&&i.flag_key===`new-checkout`&&(t.setQueryData(J(e).queryKey,e=>Math.max(e??0,1)),t.invalidateQueries({queryKey:[`onboarding`]}))}),!n)return{isAsked:a.data?.first_evaluation===!0,count:null};let o=i.data??0;return{isAsked:o>0,count:o}}function ue({project:e,environment:t}){let{permissions:n}=T(),r=s(),[a,o]=(0,z.useState)(G[0]),[c,u]=(0,z.useState)({}),[f,p]=(0,z.useState)(null),m=l(oe(e.id,t.id)),h=m.data?.isThere===!0,y=l({...F(t.id),enabled:n.includes(`api_keys.read`)}),{isAsked:x,count:C}=le(t.id),{data:E}=l(Y),D=g(),O=(a&&c[a.keyType])??null,k=a&&ce(y.data?.items??[],a.keyType,Date.now()),j=m.data?.wasChanged===!0,P=se(E,{first_flag_created:h,first_sdk_connected:x,first_evaluation:x}),R=P===null?null:JSON.stringify(P);(0,z.useEffect)(()=>{R!==null&&$(r,JSON.parse(R))},[R,r]);async function B(){p(`flag`);let t=await v(_.POST(`/v1/projects/{projectID}/flags`,{params:{path:{projectID:e.id}},body:{key:W,name:W}}));p(null),!t.ok&&t.refusal.kind!==`conflict`&&b(S(t.refusal)),await r.invalidateQueries({queryKey:[`overview`,e.id]})}async function V(e){p(`key`);let n=k===void 0?await I(t.id,{name:K.keyName(),type:e}):await L(k.id,0);p(null),n.ok?u({...c,[e]:n.data}):b(S(n.refusal)),await r.invalidateQueries({queryKey:F(t.id).queryKey})}async function H(n){p(`state`);let i=await v(_.PUT(`/v1/projects/{projectID}/flags/{flagKey}/environments/{envID}`,{params:{path:{projectID:e.id,flagKey:W,envID:t.id},query:{wait:`edges`}},body:{enabled:n}}));p(null),i.ok||b(S(i.refusal)),await r.invalidateQueries({queryKey:[`overview`,e.id]})}return a===void 0?null:(0,q.jsxs)(`ol`,{children:[(0,q.jsx)(Z,{position:1,title:K.flagTitle(),isDone:h,children:h?(0,q.jsx)(`p`,{children:K.flagThere(W)}):(0,q.jsxs)(q.Fragment,{children:[(0,q.jsx)(`p`,{className:`soft`,children:K.flagText(W,t.name)}),(0,q.jsx)(w,{look:`primary`,isDisabled:!n.includes(`flags.create`)||!D,isPending:f===`flag`,onPress:B,children:K.createFlag(W)})]})}),(0,q.jsx)(Z,{position:2,title:K.keyTitle(),isDone:O!==null||k!==void 0,children:O===null?(0,q.jsxs)(q.Fragment,{children:[(0,q.jsx)(`p`,{className:`soft`,children:k===void 0?K.keyText():K.keyEarlier(k.key_prefix)}),(0,q.jsx)(w,{look:h&&k===void 0?`primary`:`secondary`,isDisabled:!n.includes(`api_keys.manage`)||!D,isPending:f===`key`,onPress:()=>void V(a.keyType),children:k===void 0?K.createKey():K.replaceKey()})]}):(0,q.jsxs)(q.Fragment,{children:[(0,q.jsx)(`p`,{role:`status`,children:K.keyMade()}),(0,q.jsx)(M,{label:K.key(),text:O}),(0,q.jsx)(N,{text:O,label:K.copyKey()})]})}),(0,q.jsx)(Z,{position:3,title:K.programTitle(),isDone:x,children:(0,q.jsx)(ae,{language:a,onLanguage:o,apiKey:O})}),(0,q.jsx)(Z,{position:4,title:K.waitTitle(),isDone:x,children:x?(0,q.jsx)(d,{tone:`good`,children:K.arrived(C)}):(0,q.jsx)(d,{tone:`note`,children:K.waiting()})}),(0,q.jsxs)(Z,{position:5,title:K.toggleTitle(),isDone:j,children:[(0,q.jsx)(`p`,{className:`soft`,children:K.toggleText()}),(0,q.jsx)(i,{label:K.toggle(W,t.name),isOn:m.data?.enabled===!0,isDisabled:!h||f===`state`||!n.includes(`flags.toggle`)||!D,onChange:e=>void H(e)}),j&&m.data!==void 0?(0,q.jsx)(`p`,{role:`status`,children:K.toggled(m.data.enabled)}):null,(0,q.jsx)(A,{to:`/p/$project/flags`,params:{project:e.slug},className:ee(j?`primary`:`secondary`),onClick:()=>void $(r,{tour_completed:!0}),children:K.finish()})]})]})}async function $(e,t){let n=await v(_.PATCH(`/v1/onboarding`,{body:t}));n.ok&&e.setQueryData(Y.queryKey,n.data)}function de(){h(K.title());let e=t();return e===void 0?(0,q.jsx)(x,{isPage:!0,title:O.noProjectTitle(),children:O.noProject()}):(0,q.jsxs)(`div`,{className:`page ${X.page}`,children:[(0,q.jsxs)(`div`,{className:`stack close`,children:[(0,q.jsx)(`h1`,{children:K.title()}),(0,q.jsx)(`p`,{className:`soft`,children:K.lead()})]}),(0,q.jsx)(fe,{project:e})]})}function fe({project:e}){let{data:t,error:r,refetch:i}=l(o(e.id));if(t===void 0)return r instanceof f?(0,q.jsx)(n,{refusal:r.refusal,onRetry:()=>void i()}):(0,q.jsx)(p,{children:(0,q.jsx)(m,{height:`20rem`})});let a=t.data.find(({slug:e})=>e===`dev`)??t.data[0];return a===void 0?(0,q.jsx)(x,{title:K.noEnvironment(),children:K.noEnvironmentText()}):(0,q.jsx)(ue,{project:e,environment:a})}export{de as OnboardingPage};