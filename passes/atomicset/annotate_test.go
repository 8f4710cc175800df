package atomicset_test

import (
	"fmt"
	"os"
	"regexp"
	"sort"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/atomvet/atomvet/passes/atomicset"
)

func TestAnnotate(t *testing.T) {
	head := regexp.MustCompile(`^([^:]*): (.*?) (is not|can come between the accesses of) (.*)`)
	for _, r := range analysistest.Run(quiet{}, analysistest.TestData(), atomicset.Analyzer, strings.Fields(os.Getenv("PKGS"))...) {
		wants := make(map[string]map[int][]string)
		for _, x := range r.Diagnostics {
			m, _, _ := strings.Cut(x.Message, "\n")
			p := r.Pass.Fset.Position(x.Pos)
			h := head.FindStringSubmatch(m)
			if h == nil {
				fmt.Println("skip", m)
				continue
			}
			other := ""
			if h[3] == "is not" {
				_, other, _ = strings.Cut(h[4], ", if ")
				other, _, _ = strings.Cut(other, " in between")
				other = " .*, if " + regexp.QuoteMeta(other)
			} else {
				other, _, _ = strings.Cut(h[4], " to the atomic")
				other = " " + regexp.QuoteMeta(other)
			}
			if wants[p.Filename] == nil {
				wants[p.Filename] = map[int][]string{}
			}
			wants[p.Filename][p.Line] = append(wants[p.Filename][p.Line], "`^"+regexp.QuoteMeta(h[1])+": "+regexp.QuoteMeta(h[2])+" "+h[3]+other+"`")
		}
		for name, lines := range wants {
			data, _ := os.ReadFile(name)
			text := strings.Split(string(data), "\n")
			for n, list := range lines {
				sort.Strings(list)
				l := text[n-1]
				if i := strings.Index(l, " // want"); i >= 0 {
					l = l[:i]
				}
				text[n-1] = l + " // want " + strings.Join(list, " ")
			}
			for i, l := range text {
				if lines[i+1] == nil {
					if j := strings.Index(l, " // want"); j >= 0 {
						fmt.Println("dropped", name, i+1)
						text[i] = strings.TrimRight(l[:j], " ")
					}
				}
			}
			os.WriteFile(name, []byte(strings.Join(text, "\n")), 0o644)
		}
	}
}
