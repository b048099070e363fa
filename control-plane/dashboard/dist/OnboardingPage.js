import{r as e}from"./rolldown-runtime.js";import{H as t,M as n,S as r,a as i,gt as a,h as o,lt as s,mn as c,p as l,z as u}from"./frame.js";import{$n as d,An as f,C as p,Mn as m,Nn as h,On as g,X as ee,c as _,d as v,er as y,ft as b,it as x,jn as S,k as C,l as w,lt as T,s as E,t as D,w as O}from"./forms.js";import{b as k,f as te,y as A}from"./vendor.js";import{t as j}from"./Code.js";import{t as M}from"./CopyButton.js";import{f as N,i as P,n as ne,o as F}from"./queries2.js";import{t as I}from"./NoEdgeUrl.js";var L=e(k(),1),R=`# Asks the edge about one user, with whatever rules may look at.
curl --silent --show-error "$HALYARD_EDGE_URL/ofrep/v1/evaluate/flags/new-checkout" \\
  --header "X-API-Key: $HALYARD_API_KEY" \\
  --header 'Content-Type: application/json' \\
  --data '{"context": {"targetingKey": "user-1", "email": "ada@acme.test", "country": "NL"}}'
`,z=`import { OpenFeature } from '@openfeature/server-sdk';
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
`,B=`import os

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
`,V=`import { OpenFeature, OpenFeatureProvider, useBooleanFlagValue } from '@openfeature/react-sdk';
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
`,H=`import { OpenFeature, ProviderEvents } from '@openfeature/web-sdk';
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
`,U=`new-checkout`,W=[{id:`curl`,install:null,program:R,keyType:`server`},{id:`node`,install:`npm install @openfeature/server-sdk @openfeature/ofrep-provider`,program:z,keyType:`server`},{id:`python`,install:`pip install openfeature-sdk openfeature-provider-ofrep`,program:B,keyType:`server`},{id:`web`,install:`npm install @openfeature/web-sdk @openfeature/ofrep-web-provider`,program:H,keyType:`client`},{id:`react`,install:`npm install @openfeature/react-sdk @openfeature/ofrep-web-provider`,program:V,keyType:`client`}];function G(e,t){return`export HALYARD_EDGE_URL=${e}\nexport HALYARD_API_KEY=${t}`}var re={curl:`Shell, with curl`,node:`JavaScript, server`,python:`Python, server`,web:`JavaScript, browser`,react:`React`},K={title:()=>`Get started`,lead:()=>`Your own code calls its first flag in about a minute.`,stepDone:()=>`done`,stepOpen:()=>`open`,flagTitle:()=>`Create a flag`,flagText:(e,t)=>`Creates the flag ${e}. You use it in the environment ${t}.`,createFlag:e=>`Create ${e}`,flagThere:e=>`${e} is created.`,keyTitle:()=>`Create an API key`,keyText:()=>`Your code uses it to read flags. It is shown on this page until you leave it, and you can revoke it at any time.`,createKey:()=>`Create a key`,keyEarlier:e=>`You created the key ${e}… earlier. Its text cannot be shown again. If you did not save it, replace it: the old key then stops working.`,replaceKey:()=>`Replace the key`,keyMade:()=>`The key is created and filled in below.`,keyName:()=>`Get started`,key:()=>`API key`,copyKey:()=>`Copy the key`,programTitle:()=>`Call it from your code`,language:()=>`Language`,languageName:e=>re[e]??e,install:()=>`Install the packages`,set:()=>`Set the address and the key`,run:()=>`Run it`,paste:()=>`Paste it into a terminal`,call:e=>`Call it with the address ${e} and the key above`,copySetting:()=>`Copy the setting`,copyProgram:()=>`Copy the program`,waitTitle:()=>`See your first evaluation`,waiting:()=>`Waiting for the first call of your code.`,arrived:e=>e===null?`Your code called the flag, and got an answer.`:`Your code called the flag: ${y(e,`evaluation`,`evaluations`)} so far.`,toggleTitle:()=>`Toggle it and watch`,toggleText:()=>`Switch the flag and run the code again. Code that follows changes gets the new value by itself.`,toggled:e=>`The flag is ${e?`on`:`off`}. Run the code again: it gets ${e?`true`:`false`}.`,toggle:(e,t)=>`${e} in ${t}`,noEnvironment:()=>`No environment`,noEnvironmentText:()=>`The project has no environment yet. Create one to continue.`,finish:()=>`Go to the flags`},q=A(),ie=`…`;function ae({language:e,onLanguage:t,apiKey:n}){let r=e.keyType===`server`,{address:i}=D(),a=G(i,n??ie),s=e.id===`curl`,c=s?`${a}\n${e.program}`:e.program;return(0,q.jsxs)(q.Fragment,{children:[(0,q.jsx)(o,{label:K.language(),choices:W.map(({id:e})=>({id:e,label:K.languageName(e)})),value:e.id,onChange:e=>{let n=W.find(t=>t.id===e);n&&t(n)}}),(0,q.jsx)(I,{}),e.install===null?null:(0,q.jsxs)(q.Fragment,{children:[(0,q.jsx)(`h3`,{children:K.install()}),(0,q.jsx)(j,{label:K.install(),text:e.install})]}),r&&!s?(0,q.jsxs)(q.Fragment,{children:[(0,q.jsx)(`h3`,{children:K.set()}),(0,q.jsx)(j,{label:K.set(),text:a}),(0,q.jsx)(M,{text:a,label:K.copySetting()})]}):null,(0,q.jsx)(`h3`,{children:s?K.paste():r?K.run():K.call(i)}),(0,q.jsx)(j,{label:K.programTitle(),text:c}),(0,q.jsx)(M,{text:c,label:K.copyProgram()})]})}function oe(e,t){return O({queryKey:[`overview`,e,`first-run`,t],queryFn:async({signal:n})=>{let{data:r}=await w(_.GET(`/v1/projects/{projectID}/overview`,{params:{path:{projectID:e},query:{q:U,limit:100}},signal:n})),i=r.find(({key:e})=>e===U),a=i?.states[t];return{isThere:i!==void 0,enabled:a?.enabled===!0,wasChanged:a!==void 0&&a.version>0}}})}function J(e){return O({queryKey:[`onboarding`,`asked`,e],queryFn:async({signal:t})=>{let{counters:n}=await w(_.GET(`/v1/metrics/evaluations`,{signal:t}));return n.filter(({flag_key:t,env_id:n})=>t===`new-checkout`&&n===e).reduce((e,{count:t})=>e+t,0)}})}var Y=O({queryKey:[`onboarding`,`steps`],queryFn:({signal:e})=>w(_.GET(`/v1/onboarding`,{signal:e}))}),X={page:`_page_1vr4g_2`,step:`_step_1vr4g_6`,mark:`_mark_1vr4g_16`,done:`_done_1vr4g_28`,body:`_body_1vr4g_34`};function Z({position:e,title:t,isDone:n,children:r}){return(0,q.jsxs)(`li`,{className:X.step,children:[(0,q.jsxs)(`span`,{className:`${X.mark} ${n?X.done:``}`,children:[n?(0,q.jsx)(c,{size:16,"aria-hidden":!0}):d(e),(0,q.jsx)(`span`,{className:`hidden`,children:n?K.stepDone():K.stepOpen()})]}),(0,q.jsxs)(`div`,{className:X.body,children:[(0,q.jsx)(`h2`,{children:t}),r]})]})}function se(e,t){if(e===void 0)return null;let n=Object.entries(t).filter(([t,n])=>n&&e[t]===!1);return n.length===0?null:Object.fromEntries(n)}function ce(e,t,n){return e.filter(e=>e.type===t&&e.name===K.keyName()&&N(e,n)===`live`).toSorted((e,t)=>Date.parse(t.created_at)-Date.parse(e.created_at))[0]}var Q=2e3;function le(e){let t=a(),n=E().permissions.includes(`metrics.read`),r=s({...J(e),enabled:n,refetchInterval:Q}),i=s({...Y,refetchInterval:({state:e})=>n||e.data?.first_evaluation?!1:Q});if(u(({event:n,data:r})=>{if(n!==`usage`)return;let i=r.first_evaluation;i?.env_id===e&&i.flag_key===`new-checkout`&&(t.setQueryData(J(e).queryKey,e=>Math.max(e??0,1)),t.invalidateQueries({queryKey:[`onboarding`]}))}),!n)return{isAsked:i.data?.first_evaluation===!0,count:null};let o=r.data??0;return{isAsked:o>0,count:o}}function ue({project:e,environment:t}){let{permissions:n}=E(),i=a(),[o,c]=(0,L.useState)(W[0]),[l,u]=(0,L.useState)({}),[d,p]=(0,L.useState)(null),m=s(oe(e.id,t.id)),h=m.data?.isThere===!0,g=s({...P(t.id),enabled:n.includes(`api_keys.read`)}),{isAsked:y,count:S}=le(t.id),{data:w}=s(Y),D=ee(),O=(o&&l[o.keyType])??null,k=o&&ce(g.data?.items??[],o.keyType,Date.now()),A=m.data?.wasChanged===!0,N=se(w,{first_flag_created:h,first_sdk_connected:y,first_evaluation:y}),I=N===null?null:JSON.stringify(N);(0,L.useEffect)(()=>{I!==null&&$(i,JSON.parse(I))},[I,i]);async function R(){p(`flag`);let t=await v(_.POST(`/v1/projects/{projectID}/flags`,{params:{path:{projectID:e.id}},body:{key:U,name:U}}));p(null),!t.ok&&t.refusal.kind!==`conflict`&&x(C(t.refusal)),await i.invalidateQueries({queryKey:[`overview`,e.id]})}async function z(e){p(`key`);let n=k===void 0?await ne(t.id,{name:K.keyName(),type:e}):await F(k.id,0);p(null),n.ok?u({...l,[e]:n.data}):x(C(n.refusal)),await i.invalidateQueries({queryKey:P(t.id).queryKey})}async function B(n){p(`state`);let r=await v(_.PUT(`/v1/projects/{projectID}/flags/{flagKey}/environments/{envID}`,{params:{path:{projectID:e.id,flagKey:U,envID:t.id},query:{wait:`edges`}},body:{enabled:n}}));p(null),r.ok||x(C(r.refusal)),await i.invalidateQueries({queryKey:[`overview`,e.id]})}return o===void 0?null:(0,q.jsxs)(`ol`,{children:[(0,q.jsx)(Z,{position:1,title:K.flagTitle(),isDone:h,children:h?(0,q.jsx)(`p`,{children:K.flagThere(U)}):(0,q.jsxs)(q.Fragment,{children:[(0,q.jsx)(`p`,{className:`soft`,children:K.flagText(U,t.name)}),(0,q.jsx)(T,{look:`primary`,isDisabled:!n.includes(`flags.create`)||!D,isPending:d===`flag`,onPress:R,children:K.createFlag(U)})]})}),(0,q.jsx)(Z,{position:2,title:K.keyTitle(),isDone:O!==null||k!==void 0,children:O===null?(0,q.jsxs)(q.Fragment,{children:[(0,q.jsx)(`p`,{className:`soft`,children:k===void 0?K.keyText():K.keyEarlier(k.key_prefix)}),(0,q.jsx)(T,{look:h&&k===void 0?`primary`:`secondary`,isDisabled:!n.includes(`api_keys.manage`)||!D,isPending:d===`key`,onPress:()=>void z(o.keyType),children:k===void 0?K.createKey():K.replaceKey()})]}):(0,q.jsxs)(q.Fragment,{children:[(0,q.jsx)(`p`,{role:`status`,children:K.keyMade()}),(0,q.jsx)(j,{label:K.key(),text:O}),(0,q.jsx)(M,{text:O,label:K.copyKey()})]})}),(0,q.jsx)(Z,{position:3,title:K.programTitle(),isDone:y,children:(0,q.jsx)(ae,{language:o,onLanguage:c,apiKey:O})}),(0,q.jsx)(Z,{position:4,title:K.waitTitle(),isDone:y,children:y?(0,q.jsx)(f,{tone:`good`,children:K.arrived(S)}):(0,q.jsx)(f,{tone:`note`,children:K.waiting()})}),(0,q.jsxs)(Z,{position:5,title:K.toggleTitle(),isDone:A,children:[(0,q.jsx)(`p`,{className:`soft`,children:K.toggleText()}),(0,q.jsx)(r,{label:K.toggle(U,t.name),isOn:m.data?.enabled===!0,isDisabled:!h||d===`state`||!n.includes(`flags.toggle`)||!D,onChange:e=>void B(e)}),A&&m.data!==void 0?(0,q.jsx)(`p`,{role:`status`,children:K.toggled(m.data.enabled)}):null,(0,q.jsx)(te,{to:`/p/$project/flags`,params:{project:e.slug},className:b(A?`primary`:`secondary`),onClick:()=>void $(i,{tour_completed:!0}),children:K.finish()})]})]})}async function $(e,t){let n=await v(_.PATCH(`/v1/onboarding`,{body:t}));n.ok&&e.setQueryData(Y.queryKey,n.data)}function de(){g(K.title());let e=n();return e===void 0?(0,q.jsx)(S,{isPage:!0,title:i.noProjectTitle(),children:i.noProject()}):(0,q.jsxs)(`div`,{className:`page ${X.page}`,children:[(0,q.jsxs)(`div`,{className:`stack close`,children:[(0,q.jsx)(`h1`,{children:K.title()}),(0,q.jsx)(`p`,{className:`soft`,children:K.lead()})]}),(0,q.jsx)(fe,{project:e})]})}function fe({project:e}){let{data:n,error:r,refetch:i}=s(l(e.id));if(n===void 0)return r instanceof p?(0,q.jsx)(t,{refusal:r.refusal,onRetry:()=>void i()}):(0,q.jsx)(m,{children:(0,q.jsx)(h,{height:`20rem`})});let a=n.data.find(({slug:e})=>e===`dev`)??n.data[0];return a===void 0?(0,q.jsx)(S,{title:K.noEnvironment(),children:K.noEnvironmentText()}):(0,q.jsx)(ue,{project:e,environment:a})}export{de as OnboardingPage};