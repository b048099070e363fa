{{/* Labels that select the pods of a part. Takes (list $ "edge"). */}}
{{- define "halyard.selector" -}}
app.kubernetes.io/name: halyard
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "halyard.labels" -}}
{{ include "halyard.selector" . }}
app.kubernetes.io/version: {{ (index . 0).Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ (index . 0).Release.Service }}
helm.sh/chart: {{ (index . 0).Chart.Name }}-{{ (index . 0).Chart.Version }}
{{- end }}

{{- define "halyard.metadata" -}}
name: {{ (index . 0).Release.Name }}-{{ index . 1 }}
labels: {{- include "halyard.labels" . | nindent 2 }}
{{- end }}

{{/* An image, by default of this version. Takes (list $ "edge"). */}}
{{- define "halyard.image" -}}
{{- $image := index (index . 0).Values.images (index . 1) -}}
image: {{ $image.repository }}:{{ $image.tag | default (index . 0).Chart.AppVersion }}
imagePullPolicy: {{ (index . 0).Values.images.pullPolicy }}
{{- end }}

{{/* Settings as variables; a map keeps them in order. */}}
{{- define "halyard.env" -}}
{{- range $name, $value := . }}
- {name: {{ $name }}, value: {{ $value | toString | quote }}}
{{- end }}
{{- end }}

{{/* What every container is held to: the restricted profile of pod security. */}}
{{- define "halyard.container" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
{{- end }}

{{/* What every pod has. Takes (list $ "edge"). */}}
{{- define "halyard.pod" -}}
{{- $ := index . 0 }}{{ $values := index $.Values (index . 1) }}{{ $part := . -}}
automountServiceAccountToken: false
enableServiceLinks: false
terminationGracePeriodSeconds: {{ add $.Values.shutdownDelay 15 }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: {type: RuntimeDefault}
imagePullSecrets: {{- range $.Values.images.pullSecrets }}
  - name: {{ . }}
{{- else }} []
{{- end }}
nodeSelector: {{- toYaml $values.nodeSelector | nindent 2 }}
tolerations: {{- toYaml $values.tolerations | nindent 2 }}
topologySpreadConstraints:
{{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - topologyKey: {{ . }}
    maxSkew: 1
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "halyard.selector" $part | nindent 8 }}
{{- end }}
{{- end }}

{{/* Probes of a container with the port `admin`. Migrations and a first database may take a while. */}}
{{- define "halyard.probes" -}}
startupProbe: {httpGet: {path: /health, port: admin}, periodSeconds: 2, failureThreshold: 150}
livenessProbe: {httpGet: {path: /health, port: admin}, periodSeconds: 10, timeoutSeconds: 5}
readinessProbe: {httpGet: {path: /ready, port: admin}, periodSeconds: 2, timeoutSeconds: 5, failureThreshold: 2}
{{- end }}

{{/* A budget that keeps all pods of a part but one. Takes (list $ "edge"). */}}
{{- define "halyard.budget" -}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {{- include "halyard.metadata" . | nindent 2 }}
spec:
  maxUnavailable: 1
  selector:
    matchLabels: {{- include "halyard.selector" . | nindent 6 }}
{{- end }}

{{/* A service without an address of its own, since edges try every address of a name; UDP. Takes (list $ "relay" port). */}}
{{- define "halyard.link" -}}
{{- $ := index . 0 }}{{ $link := (index $.Values (index . 1)).link -}}
---
apiVersion: v1
kind: Service
metadata:
  name: {{ $.Release.Name }}-{{ index . 1 }}-link
  labels: {{- include "halyard.labels" . | nindent 4 }}
  annotations: {{- toYaml $link.annotations | nindent 4 }}
spec:
  type: {{ $link.type }}
  {{- if eq $link.type "ClusterIP" }}
  clusterIP: None
  {{- end }}
  selector: {{- include "halyard.selector" . | nindent 4 }}
  ports: [{name: link, port: {{ index . 2 }}, targetPort: link, protocol: UDP}]
{{- end }}
