package gopls

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"text/template"
)

// addition is the file that the overlay adds to gopls.
var addition = template.Must(template.New("addition").Parse(`package settings

import (
	"log"

	"golang.org/x/tools/gopls/internal/protocol"

	"{{.Module}}/passes"
	"{{.Module}}/passes/editor"
)

func init() {
	settings := []struct{ analyzer, flag, value string }{
{{- range .Settings}}
		{ {{printf "%q" .Analyzer}}, {{printf "%q" .Flag}}, {{printf "%q" .Value}} },
{{- end}}
	}
	for _, a := range passes.Suite() {
		for _, s := range settings {
			if s.analyzer == a.Name {
				if err := a.Flags.Set(s.flag, s.value); err != nil {
					log.Fatal(err)
				}
			}
		}
		editor.Widen(a)
		AllAnalyzers = append(AllAnalyzers, &Analyzer{analyzer: a, severity: protocol.SeverityWarning})
	}
}
`))

// writeOverlay writes the file for the -overlay flag, and returns its name.
func (b *builder) writeOverlay() (string, error) {
	var text bytes.Buffer
	err := addition.Execute(&text, struct {
		Module   string
		Settings []Setting
	}{modulePath, b.opts.Settings})
	if err != nil {
		return "", err
	}
	file := filepath.Join(b.dir, "atomvet.go.txt")
	to := filepath.Join(b.dir, "gopls", filepath.FromSlash(settingsDir), "zz_atomvet.go")
	index, err := json.Marshal(map[string]map[string]string{"Replace": {to: file}})
	if err != nil {
		return "", err
	}
	name := filepath.Join(b.dir, "overlay.json")
	return name, errors.Join(os.WriteFile(file, text.Bytes(), 0o666), os.WriteFile(name, index, 0o666))
}
