# Completion of atomvet for bash. To have it: source <(atomvet completion bash)

_atomvet() {
	local IFS=$' \t\n' cur=${COMP_WORDS[COMP_CWORD]} flag=
	COMPREPLY=()
	# To bash the equals sign is a word of its own.
	if [[ $cur == = ]]; then
		flag=${COMP_WORDS[COMP_CWORD-1]} cur=
	elif (( COMP_CWORD > 1 )) && [[ ${COMP_WORDS[COMP_CWORD-1]} == = ]]; then
		flag=${COMP_WORDS[COMP_CWORD-2]}
	fi
	case $flag in
{{- range .Flags}}{{if .Values}}
	{{.Name}}) COMPREPLY=($(compgen -W "{{.List}}" -- "$cur")); return ;;
{{- else if .File}}
	{{.Name}}) IFS=$'\n'; COMPREPLY=($(compgen -f -- "$cur")); return ;;
{{- end}}{{end}}
{{- range .Gopls}}{{if .File}}
	{{.Name}}) IFS=$'\n'; COMPREPLY=($(compgen -f -- "$cur")); return ;;
{{- end}}{{end}}
	-*) return ;;
	esac
	if (( COMP_CWORD > 1 )); then
		case ${COMP_WORDS[1]} in
{{- range .Commands}}{{if ne .Name "gopls"}}
		{{.Name}}) COMPREPLY=($(compgen -W "{{.List}}" -- "$cur")); return ;;
{{- end}}{{end}}
		gopls)
			COMPREPLY=($(compgen -W "{{range .Gopls}}{{.Name}}{{if not .Bool}}={{end}} {{end}}" -- "$cur"))
			[[ $COMPREPLY == *= ]] && compopt -o nospace
			return ;;
		esac
	fi
	if [[ $cur == -* ]]; then
		COMPREPLY=($(compgen -W "{{range .Flags}}{{.Name}}{{if not .Bool}}={{end}} {{end}}" -- "$cur"))
		[[ $COMPREPLY == *= ]] && compopt -o nospace
		return
	fi
	local words=./...
	(( COMP_CWORD == 1 )) && words+=" {{range .Commands}}{{.Name}} {{end}}"
	COMPREPLY=($(compgen -W "$words" -- "$cur"))
	IFS=$'\n'
	COMPREPLY+=($(compgen -d -- "$cur"))
}

complete -F _atomvet atomvet
