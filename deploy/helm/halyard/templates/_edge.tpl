{{/* The addresses that a part connects to: its own setting, else what this release has. Takes (list $ "edge"). */}}
{{- define "halyard.upstream" -}}
{{- $ := index . 0 }}{{ $part := index . 1 }}{{ $values := index $.Values $part }}{{ $found := list }}
{{- if and (eq $part "edge") $.Values.relay.enabled }}
{{- $found = append $found (printf "%s-relay-link:8444" $.Release.Name) }}
{{- end }}
{{- if $.Values.control.enabled }}
{{- $found = append $found (printf "%s-control-link:8443" $.Release.Name) }}
{{- end }}
{{- $values.upstream | default (join "," $found) | required (printf "%s.upstream: no control plane or relay is part of this release" $part) }}
{{- end }}

{{/* The pod of an edge or a relay. Takes (list $ "edge"). */}}
{{- define "halyard.edge" -}}
{{- $ := index . 0 }}{{ $part := index . 1 }}{{ $values := index $.Values $part }}{{ $kind := $values.kind | default "StatefulSet" }}
{{- $own := dict
  "EDGE_UPSTREAM" (include "halyard.upstream" .)
  "EDGE_PUBLIC_URL" (printf "https://%s" $.Values.hosts.edge)
  "SHUTDOWN_DELAY" (printf "%vs" $.Values.shutdownDelay) }}
{{- if eq $part "relay" }}
{{- $own = set $own "EDGE_RELAY_ADDR" "0.0.0.0:8444" }}
{{- end }}
metadata:
  labels: {{- include "halyard.labels" . | nindent 4 }}
spec:
  {{- include "halyard.pod" . | nindent 2 }}
  {{- if not $values.identity }}
  # An edge's identity is its pod's name. One whose folder holds an identity starts without the database.
  initContainers:
    - name: enroll
      {{- include "halyard.image" (list $ "control") | nindent 6 }}
      args:
        - edge
        - enroll
        - --unless-enrolled
        - --name=$(NAME)
        - --out=/var/lib/halyard/identity
        {{- with $values.region }}
        - --region={{ . }}
        {{- end }}
        {{- if eq $part "relay" }}
        - --relay
        {{- else if eq $kind "Deployment" }}
        - --valid-for=30d
        {{- end }}
      env:
        - {name: NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
        {{- range list "DATABASE_URL" "APP_SECRET" }}
        - {name: {{ . }}, valueFrom: {secretKeyRef: {name: {{ $.Values.secret }}, key: {{ . }}}}}
        {{- end }}
      volumeMounts: [{name: state, mountPath: /var/lib/halyard}]
      {{- include "halyard.container" . | nindent 6 }}
      resources: {{- toYaml $values.resources | nindent 8 }}
  {{- end }}
  containers:
    - name: halyard-edge
      {{- include "halyard.image" (list $ "edge") | nindent 6 }}
      {{- with $values.secret }}
      envFrom: [{secretRef: {name: {{ . }}}}]
      {{- end }}
      env: {{- include "halyard.env" (merge (deepCopy $values.env) $own) | trim | nindent 8 }}
      ports:
        - {name: http, containerPort: 8081}
        - {name: admin, containerPort: 9091}
        {{- if eq $part "relay" }}
        - {name: link, containerPort: 8444, protocol: UDP}
        {{- end }}
      volumeMounts:
        - {name: state, mountPath: /var/lib/halyard}
        {{- if $values.identity }}
        - {name: identity, mountPath: /var/lib/halyard/identity, readOnly: true}
        {{- end }}
      {{- include "halyard.probes" . | nindent 6 }}
      {{- include "halyard.container" . | nindent 6 }}
      resources: {{- toYaml $values.resources | nindent 8 }}
  {{- if or (eq $kind "Deployment") $values.identity }}
  volumes:
    {{- if eq $kind "Deployment" }}
    - {name: state, emptyDir: {}}
    {{- end }}
    {{- with $values.identity }}
    - {name: identity, secret: {secretName: {{ . }}, defaultMode: 0440}}
    {{- end }}
  {{- end }}
{{- end }}

{{/* The set of pods of an edge or a relay. Takes (list $ "edge"). */}}
{{- define "halyard.edges" -}}
{{- $ := index . 0 }}{{ $part := index . 1 }}{{ $values := index $.Values $part }}{{ $kind := $values.kind | default "StatefulSet" -}}
apiVersion: apps/v1
kind: {{ $kind }}
metadata: {{- include "halyard.metadata" . | nindent 2 }}
spec:
  {{- if not (dig "autoscaling" "enabled" false $values) }}
  replicas: {{ $values.replicas }}
  {{- end }}
  selector:
    matchLabels: {{- include "halyard.selector" . | nindent 6 }}
  {{- if eq $kind "StatefulSet" }}
  serviceName: {{ $.Release.Name }}-{{ ternary "relay-link" $part (eq $part "relay") }}
  podManagementPolicy: Parallel
  volumeClaimTemplates:
    - metadata: {name: state}
      spec:
        accessModes: [ReadWriteOnce]
        resources: {requests: {storage: {{ $values.storage.size }}}}
        {{- with $values.storage.className }}
        storageClassName: {{ . }}
        {{- end }}
  {{- end }}
  template: {{- include "halyard.edge" . | trim | nindent 4 }}
{{ include "halyard.budget" . }}
{{- end }}
