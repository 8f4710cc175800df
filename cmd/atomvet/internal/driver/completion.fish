# Completion of atomvet for fish. To have it: atomvet completion fish | source

complete -c atomvet -f
{{- range .Commands}}
complete -c atomvet -n __fish_use_subcommand -a {{.Name}}
{{- if .Values}}
complete -c atomvet -n '__fish_seen_subcommand_from {{.Name}}' -a '{{.List}}'
{{- end}}{{end}}
complete -c atomvet -n 'not __fish_seen_subcommand_from {{range .Commands}}{{.Name}} {{end}}' -a './... (__fish_complete_directories)'
{{- range .Flags}}
complete -c atomvet -n 'not __fish_seen_subcommand_from {{range $.Commands}}{{.Name}} {{end}}' -o {{slice .Name 1}}
{{- if .Bool}}{{else if .Values}} -x -a '{{.List}}'{{else if .File}} -r -F{{else}} -x{{end}}{{end}}
{{- range .Gopls}}
complete -c atomvet -n '__fish_seen_subcommand_from gopls' -o {{slice .Name 1}}
{{- if .Bool}}{{else if .Values}} -x -a '{{.List}}'{{else if .File}} -r -F{{else}} -x{{end}}{{end}}
