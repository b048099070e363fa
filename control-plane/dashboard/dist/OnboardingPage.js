const __vite__mapDeps=(i,m=__vite__mapDeps,d=(m.f||(m.f=["./NoProject.js","./rolldown-runtime.js","./frame.js","./forms.js","./vendor.js","./MayNot.js","./messages4.js","./messages11.js"])))=>i.map(i=>d[i]);
import{r as e}from"./rolldown-runtime.js";import{F as t,P as n,Zt as r,dn as i,in as a,j as o,m as s,rt as c,u as l,w as u}from"./frame.js";import{E as d,Fn as f,Mn as p,Nn as m,Pn as h,Y as ee,at as g,c as _,d as v,kn as y,l as b,lt as x,nr as S,nt as C,ot as w,pt as te,s as T,t as E,tr as D,tt as O,ut as k}from"./forms.js";import{b as A,f as ne,y as j}from"./vendor.js";import{t as M}from"./Code.js";import{t as re}from"./MayNot.js";import{g as N,l as P,o as F,r as ie}from"./queries4.js";import{t as I}from"./NoEdgeUrl.js";var L=e(A(),1),R=`# Asks the edge about one user, with whatever rules may look at.
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
`,ae=`import { OpenFeature, ProviderEvents } from '@openfeature/web-sdk';
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
`,H=`new-checkout`,U=[{id:`curl`,install:null,program:R,keyType:`server`},{id:`node`,install:`npm install @openfeature/server-sdk @openfeature/ofrep-provider`,program:z,keyType:`server`},{id:`python`,install:`pip install openfeature-sdk openfeature-provider-ofrep`,program:B,keyType:`server`},{id:`web`,install:`npm install @openfeature/web-sdk @openfeature/ofrep-web-provider`,program:ae,keyType:`client`},{id:`react`,install:`npm install @openfeature/react-sdk @openfeature/ofrep-web-provider`,program:V,keyType:`client`}];function W(e,t){return`export HALYARD_EDGE_URL=${e}\nexport HALYARD_API_KEY=${t}`}var G={curl:`Shell, with curl`,node:`JavaScript, server`,python:`Python, server`,web:`JavaScript, browser`,react:`React`},K={title:()=>`Get started`,lead:()=>`Your own code calls its first flag in about a minute.`,stepDone:()=>`done`,stepOpen:()=>`open`,flagTitle:()=>`Create a flag`,flagText:(e,t)=>`Creates the flag ${e}. You use it in the environment ${t}.`,createFlag:e=>`Create ${e}`,mayNotCreate:()=>`You can view flags, not create them. Ask a developer or an admin to create it.`,flagThere:e=>`${e} is created.`,keyTitle:()=>`Create an API key`,keyText:()=>`Your code uses it to read flags. It is shown on this page until you leave it, and you can revoke it at any time.`,createKey:()=>`Create a key`,keyEarlier:e=>`You created the key ${e}… earlier. Its text cannot be shown again. If you did not save it, replace it: the old key then stops working.`,replaceKey:()=>`Replace the key`,keyMade:()=>`The key is created and filled in below.`,keyName:()=>`Get started`,key:()=>`API key`,copyKey:()=>`Copy the key`,programTitle:()=>`Call it from your code`,language:()=>`Language`,languageName:e=>G[e]??e,install:()=>`Install the packages`,set:()=>`Set the address and the key`,run:()=>`Run it`,paste:()=>`Paste it into a terminal`,call:e=>`Call it with the address ${e} and the key above`,copySetting:()=>`Copy the setting`,copyProgram:()=>`Copy the program`,waitTitle:()=>`See your first evaluation`,waiting:()=>`Waiting for the first call of your code.`,arrived:e=>e===null?`Your code called the flag, and got an answer.`:`Your code called the flag: ${S(e,`evaluation`,`evaluations`)} so far.`,toggleTitle:()=>`Toggle it and watch`,toggleText:()=>`Switch the flag and run the code again. Code that follows changes gets the new value by itself.`,toggled:e=>`The flag is ${e?`on`:`off`}. Run the code again: it gets ${e?`true`:`false`}.`,toggle:(e,t)=>`${e} in ${t}`,noEnvironment:()=>`No environment`,noEnvironmentText:()=>`The project has no environment yet. Create one to continue.`,finish:()=>`Go to the flags`},q=j(),oe=`…`;function se({language:e,onLanguage:t,apiKey:n}){let r=e.keyType===`server`,{address:i}=E(),a=W(i,n??oe),o=e.id===`curl`,s=o?`${a}\n${e.program}`:e.program;return(0,q.jsxs)(q.Fragment,{children:[(0,q.jsx)(c,{label:K.language(),choices:U.map(({id:e})=>({id:e,label:K.languageName(e)})),value:e.id,onChange:e=>{let n=U.find(t=>t.id===e);n&&t(n)}}),(0,q.jsx)(I,{}),e.install===null?null:(0,q.jsxs)(q.Fragment,{children:[(0,q.jsx)(`h3`,{children:K.install()}),(0,q.jsx)(M,{label:K.install(),text:e.install})]}),r&&!o?(0,q.jsxs)(q.Fragment,{children:[(0,q.jsx)(`h3`,{children:K.set()}),(0,q.jsx)(M,{label:K.set(),text:a,copy:K.copySetting()})]}):null,(0,q.jsx)(`h3`,{children:o?K.paste():r?K.run():K.call(i)}),(0,q.jsx)(M,{label:K.programTitle(),text:s,copy:K.copyProgram()})]})}function ce(e,t){return C({queryKey:[`overview`,e,`first-run`,t],queryFn:async({signal:n})=>{let{data:r}=await b(_.GET(`/v1/projects/{projectID}/overview`,{params:{path:{projectID:e},query:{q:H,limit:100}},signal:n})),i=r.find(({key:e})=>e===H),a=i?.states[t];return{isThere:i!==void 0,enabled:a?.enabled===!0,wasChanged:a!==void 0&&a.version>0}}})}function J(e){return C({queryKey:[`onboarding`,`asked`,e],queryFn:async({signal:t})=>{let{counters:n}=await b(_.GET(`/v1/metrics/evaluations`,{signal:t}));return n.filter(({flag_key:t,env_id:n})=>t===`new-checkout`&&n===e).reduce((e,{count:t})=>e+t,0)}})}var Y=C({queryKey:[`onboarding`,`steps`],queryFn:({signal:e})=>b(_.GET(`/v1/onboarding`,{signal:e}))}),X={page:`_page_4k3yw_2`,step:`_step_4k3yw_6`,mark:`_mark_4k3yw_16`,done:`_done_4k3yw_28`,body:`_body_4k3yw_34`};function Z({position:e,title:t,isDone:n,children:r}){return(0,q.jsxs)(`li`,{className:X.step,children:[(0,q.jsxs)(`span`,{className:`${X.mark} ${n?X.done:``}`,children:[n?(0,q.jsx)(i,{size:16,"aria-hidden":!0}):D(e),(0,q.jsx)(`span`,{className:`hidden`,children:n?K.stepDone():K.stepOpen()})]}),(0,q.jsxs)(`div`,{className:X.body,children:[(0,q.jsx)(`h2`,{children:t}),r]})]})}function le(e,t){if(e===void 0)return null;let n=Object.entries(t).filter(([t,n])=>n&&e[t]===!1);return n.length===0?null:Object.fromEntries(n)}function ue(e,t,n){return e.filter(e=>e.type===t&&e.name===K.keyName()&&N(e,n)===`live`).toSorted((e,t)=>Date.parse(t.created_at)-Date.parse(e.created_at))[0]}var Q=2e3;function de(e){let t=a(),n=T().permissions.includes(`metrics.read`),i=r({...J(e),enabled:n,refetchInterval:Q}),s=r({...Y,refetchInterval:({state:e})=>n||e.data?.first_evaluation?!1:Q});if(o(({event:n,data:r})=>{if(n!==`usage`)return;let i=r.first_evaluation;i?.env_id===e&&i.flag_key===`new-checkout`&&(t.setQueryData(J(e).queryKey,e=>Math.max(e??0,1)),t.invalidateQueries({queryKey:[`onboarding`]}))}),!n)return{isAsked:s.data?.first_evaluation===!0,count:null};let c=i.data??0;return{isAsked:c>0,count:c}}function fe({project:e,environment:t}){let{permissions:n}=T(),i=n.includes(`flags.create`),o=a(),[c,l]=(0,L.useState)(U[0]),[u,f]=(0,L.useState)({}),[m,h]=(0,L.useState)(null),y=r(ce(e.id,t.id)),b=y.data?.isThere===!0,x=r({...F(t.id),enabled:n.includes(`api_keys.read`)}),{isAsked:S,count:C}=de(t.id),{data:w}=r(Y),E=ee(),D=(c&&u[c.keyType])??null,O=c&&ue(x.data?.items??[],c.keyType,Date.now()),A=y.data?.wasChanged===!0,j=le(w,{first_flag_created:b,first_sdk_connected:S,first_evaluation:S}),N=j===null?null:JSON.stringify(j);(0,L.useEffect)(()=>{N!==null&&$(o,JSON.parse(N))},[N,o]);async function I(){h(`flag`);let t=await v(_.POST(`/v1/projects/{projectID}/flags`,{params:{path:{projectID:e.id}},body:{key:H,name:H}}));h(null),!t.ok&&t.refusal.kind!==`conflict`&&g(d(t.refusal)),await o.invalidateQueries({queryKey:[`overview`,e.id]})}async function R(e){h(`key`);let n=O===void 0?await ie(t.id,{name:K.keyName(),type:e}):await P(O.id,0);h(null),n.ok?f({...u,[e]:n.data}):g(d(n.refusal)),await o.invalidateQueries({queryKey:F(t.id).queryKey})}async function z(n){h(`state`);let r=await v(_.PUT(`/v1/projects/{projectID}/flags/{flagKey}/environments/{envID}`,{params:{path:{projectID:e.id,flagKey:H,envID:t.id},query:{wait:`edges`}},body:{enabled:n}}));h(null),r.ok||g(d(r.refusal)),await o.invalidateQueries({queryKey:[`overview`,e.id]})}return c===void 0?null:(0,q.jsxs)(`ol`,{children:[(0,q.jsx)(Z,{position:1,title:K.flagTitle(),isDone:b,children:b?(0,q.jsx)(`p`,{children:K.flagThere(H)}):(0,q.jsxs)(q.Fragment,{children:[(0,q.jsx)(`p`,{className:`soft`,children:K.flagText(H,t.name)}),i?null:(0,q.jsx)(p,{tone:`note`,children:K.mayNotCreate()}),(0,q.jsx)(k,{look:`primary`,isDisabled:!i||!E,isPending:m===`flag`,onPress:I,children:K.createFlag(H)})]})}),(0,q.jsx)(Z,{position:2,title:K.keyTitle(),isDone:D!==null||O!==void 0,children:D===null?(0,q.jsxs)(q.Fragment,{children:[(0,q.jsx)(`p`,{className:`soft`,children:O===void 0?K.keyText():K.keyEarlier(O.key_prefix)}),(0,q.jsx)(re,{permit:`api_keys.manage`}),(0,q.jsx)(k,{look:b&&O===void 0?`primary`:`secondary`,isDisabled:!n.includes(`api_keys.manage`)||!E,isPending:m===`key`,onPress:()=>void R(c.keyType),children:O===void 0?K.createKey():K.replaceKey()})]}):(0,q.jsxs)(q.Fragment,{children:[(0,q.jsx)(`p`,{role:`status`,children:K.keyMade()}),(0,q.jsx)(M,{label:K.key(),text:D,copy:K.copyKey()})]})}),(0,q.jsx)(Z,{position:3,title:K.programTitle(),isDone:S,children:(0,q.jsx)(se,{language:c,onLanguage:l,apiKey:D})}),(0,q.jsx)(Z,{position:4,title:K.waitTitle(),isDone:S,children:S?(0,q.jsx)(p,{tone:`good`,children:K.arrived(C)}):(0,q.jsx)(p,{tone:`note`,children:K.waiting()})}),(0,q.jsxs)(Z,{position:5,title:K.toggleTitle(),isDone:A,children:[(0,q.jsx)(`p`,{className:`soft`,children:K.toggleText()}),(0,q.jsx)(s,{label:K.toggle(H,t.name),isOn:y.data?.enabled===!0,isDisabled:!b||m===`state`||!n.includes(`flags.toggle`)||!E,onChange:e=>void z(e)}),A&&y.data!==void 0?(0,q.jsx)(`p`,{role:`status`,children:K.toggled(y.data.enabled)}):null,(0,q.jsx)(ne,{to:`/p/$project/flags`,params:{project:e.slug},className:te(A?`primary`:`secondary`),onClick:()=>void $(o,{tour_completed:!0}),children:K.finish()})]})]})}async function $(e,t){let n=await v(_.PATCH(`/v1/onboarding`,{body:t}));n.ok&&e.setQueryData(Y.queryKey,n.data)}var pe=x(()=>w(()=>import(`./NoProject.js`),__vite__mapDeps([0,1,2,3,4,5,6,7]),import.meta.url));function me(){y(K.title());let e=u();return e===void 0?(0,q.jsx)(t,{children:(0,q.jsx)(pe,{})}):(0,q.jsxs)(`div`,{className:`page ${X.page}`,children:[(0,q.jsxs)(`div`,{className:`stack close`,children:[(0,q.jsx)(`h1`,{children:K.title()}),(0,q.jsx)(`p`,{className:`soft`,children:K.lead()})]}),(0,q.jsx)(he,{project:e})]})}function he({project:e}){let{data:t,error:i}=r(l(e.id));if(t===void 0)return i instanceof O?(0,q.jsx)(n,{refusal:i.refusal}):(0,q.jsx)(h,{children:(0,q.jsx)(f,{height:`20rem`})});let a=t.data.find(({slug:e})=>e===`dev`)??t.data[0];return a===void 0?(0,q.jsx)(m,{title:K.noEnvironment(),children:K.noEnvironmentText()}):(0,q.jsx)(fe,{project:e,environment:a})}export{me as OnboardingPage};