package text

import (
	"fmt"
	"strings"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/report"
)

// A gathered finding stands for all that have one cause.
type gathered struct {
	*report.Finding
	also []report.Position // of the others
}

// A cause is what several findings can have in common: in one function, the same kind of act on
// what was read of the same location. The first related place says what was read.
type cause struct{ rule, pkg, file, function, read string }

// gather puts findings with one cause together, at the place of the first. A finding without a
// related place, or outside of functions, stays by itself.
func gather(list []report.Finding, source *report.Source) []*gathered {
	var out []*gathered
	by := make(map[cause]*gathered)
	for i := range list {
		f := &list[i]
		c := cause{rule: f.Rule(), pkg: f.Package, file: f.File, function: source.FunctionName(f.Position)}
		if len(f.Related) > 0 {
			c.read = f.Related[0].Message
		}
		known := c.function != "" && c.read != ""
		if first := by[c]; known && first != nil {
			first.also = append(first.also, f.Position)
			continue
		}
		g := &gathered{Finding: f}
		out = append(out, g)
		if known {
			by[c] = g
		}
	}
	return out
}

// others says where else the cause has an effect.
func (g *gathered) others() string {
	if len(g.also) == 0 {
		return ""
	}
	var lines []string
	for _, p := range g.also {
		lines = append(lines, fmt.Sprint(p.Line))
	}
	if len(lines) == 1 {
		return " (and 1 more, in line " + lines[0] + ")"
	}
	return fmt.Sprintf(" (and %d more, in lines %s)", len(lines), strings.Join(lines, ", "))
}
