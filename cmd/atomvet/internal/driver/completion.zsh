#compdef atomvet
# Completion of atomvet for zsh. To have it: source <(atomvet completion zsh)

_atomvet() {
	local flag=${words[CURRENT]%%=*}
	if [[ ${words[CURRENT]} == -*=* ]]; then
		compset -P '*='
		case $flag in
{{- range .Flags}}{{if .Values}}
		{{.Name}}) compadd -- {{.List}} ;;
{{- else if .File}}
		{{.Name}}) _files ;;
{{- end}}{{end}}
{{- range .Gopls}}{{if .File}}
		{{.Name}}) _files ;;
{{- end}}{{end}}
		esac
		return
	fi
	if (( CURRENT > 2 )); then
		case ${words[2]} in
{{- range .Commands}}{{if ne .Name "gopls"}}
		{{.Name}}) compadd -- {{.List}}; return ;;
{{- end}}{{end}}
		gopls)
			compadd -- {{range .Gopls}}{{if .Bool}}{{.Name}} {{end}}{{end}}
			compadd -S '' -- {{range .Gopls}}{{if not .Bool}}{{.Name}}= {{end}}{{end}}
			return ;;
		esac
	fi
	if [[ ${words[CURRENT]} == -* ]]; then
		compadd -- {{range .Flags}}{{if .Bool}}{{.Name}} {{end}}{{end}}
		compadd -S '' -- {{range .Flags}}{{if not .Bool}}{{.Name}}= {{end}}{{end}}
		return
	fi
	(( CURRENT == 2 )) && compadd -- {{range .Commands}}{{.Name}} {{end}}
	compadd -- ./...
	_files -/
}

compdef _atomvet atomvet
