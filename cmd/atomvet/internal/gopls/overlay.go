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
//
// For a large package the detectors need about as much memory as its syntax and types, for as long
// as it is analyzed. What the garbage collector leaves lying in between would double the sum: for the
// 400 000 lines of nats-server's server with its tests, 7.5 GB instead of 5. So it runs more often,
// unless the user has decided otherwise.
var addition = template.Must(template.New("addition").Parse(`package settings

import (
	"log"
	"os"
	"runtime/debug"

	"golang.org/x/tools/gopls/internal/protocol"

	"{{.Module}}/passes"
	"{{.Module}}/passes/editor"
)

func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50)
	}
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
