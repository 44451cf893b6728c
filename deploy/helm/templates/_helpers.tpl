{{/* The name of all objects: the release, unless fullnameOverride is set. */}}
{{- define "homeward.name" -}}
{{- $name := .Release.Name -}}
{{- if not (contains .Chart.Name $name) }}{{ $name = printf "%s-%s" $name .Chart.Name }}{{ end -}}
{{- default $name .Values.fullnameOverride | trunc 45 | trimSuffix "-" -}}
{{- end }}

{{- define "homeward.selectorLabels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "homeward.labels" -}}
{{ include "homeward.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "homeward.image" -}}
{{ required "image.repository: set it to the image that you built from the Dockerfile and pushed" .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "homeward.baseURL" -}}
{{ required "baseURL: set it to the public address, such as https://lost.example.com" .Values.baseURL }}
{{- end }}

{{- define "homeward.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{ .Values.serviceAccount.name | default (include "homeward.name" .) }}
{{- else -}}
{{ .Values.serviceAccount.name | default "default" }}
{{- end -}}
{{- end }}

{{/* The names of the settings that are files, separated by commas. */}}
{{- define "homeward.secretNames" -}}
{{- $names := list -}}
{{- if .Values.existingSecret -}}
{{- $names = .Values.existingSecretKeys -}}
{{- else -}}
{{- range $name, $value := .Values.secrets }}{{ if $value }}{{ $names = append $names $name }}{{ end }}{{ end -}}
{{- end -}}
{{- join "," ($names | uniq | sortAlpha) -}}
{{- end }}

{{/* Fails for values that would lose data or cannot work. */}}
{{- define "homeward.validate" -}}
{{- $secrets := splitList "," (include "homeward.secretNames" .) -}}
{{- $copies := int .Values.replicaCount -}}
{{- if .Values.autoscaling.enabled }}{{ $copies = int .Values.autoscaling.maxReplicas }}{{ end -}}
{{- $files := .Values.settings.HOMEWARD_FILES | default "" -}}
{{- if and .Values.existingSecret .Values.secrets -}}
{{- fail "existingSecret and secrets are alternatives: set only one of them" -}}
{{- end -}}
{{- if .Values.persistence.enabled -}}
{{- if ne $copies 1 -}}
{{- fail (printf "persistence is for one copy, whose data is on its volume: set replicaCount to 1 and autoscaling.enabled to false (now up to %d copies), or use PostgreSQL and S3 without persistence" $copies) -}}
{{- end -}}
{{- if ne (.Values.strategy.type | default "Recreate") "Recreate" -}}
{{- fail "strategy.type must be Recreate with persistence: two copies must not use the same volume" -}}
{{- end -}}
{{- else -}}
{{- if not (has "HOMEWARD_DATABASE" $secrets) -}}
{{- fail "there is no database: set HOMEWARD_DATABASE under secrets, or in existingSecret and existingSecretKeys; or enable persistence for one copy with SQLite" -}}
{{- end -}}
{{- if not (has "HOMEWARD_SECRET" $secrets) -}}
{{- fail "HOMEWARD_SECRET is missing: set it under secrets, or in existingSecret and existingSecretKeys; every copy needs the same" -}}
{{- end -}}
{{- if not (or (hasPrefix "s3://" $files) (has "HOMEWARD_FILES" $secrets)) -}}
{{- fail "photos would be lost with their pod: set settings.HOMEWARD_FILES to s3://…, or enable persistence for a single copy" -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "homeward.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "homeward.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/* The settings: the ConfigMap, and a variable NAME_FILE for each secret. POD_NAME names backups. */}}
{{- define "homeward.environment" -}}
envFrom:
  - configMapRef:
      name: {{ include "homeward.name" . }}
env:
  - name: POD_NAME
    valueFrom:
      fieldRef:
        fieldPath: metadata.name
{{- with include "homeward.secretNames" . }}
{{- range splitList "," . }}
  - name: {{ . }}_FILE
    value: /run/secrets/homeward/{{ . }}
{{- end }}
{{- end }}
{{- end }}

{{- define "homeward.mounts" -}}
- name: data
  mountPath: /data
{{- if include "homeward.secretNames" . }}
- name: secrets
  mountPath: /run/secrets/homeward
  readOnly: true
{{- end }}
{{- end }}

{{- define "homeward.volumes" -}}
- name: data
{{- if .Values.persistence.enabled }}
  persistentVolumeClaim:
    claimName: {{ .Values.persistence.existingClaim | default (include "homeward.name" .) }}
{{- else }}
  emptyDir:
    sizeLimit: {{ .Values.tempSize }}
{{- end }}
{{- with include "homeward.secretNames" . }}
- name: secrets
  secret:
    secretName: {{ $.Values.existingSecret | default (include "homeward.name" $) }}
    defaultMode: 0440
    items:
{{- range splitList "," . }}
      - key: {{ . }}
        path: {{ . }}
{{- end }}
{{- end }}
{{- end }}
