package page

import (
	"cmp"
	"go/ast"
	"regexp"
	"slices"
	"strings"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/report"
)

// A group has the findings about one type and one guard.
type group struct {
	Package, Type, Guard string
	Findings             []*item
}

// An item is a finding as the page shows it.
type item struct {
	*report.Finding
	Function string
	Places   []place // the position of the finding, then the related ones, but for those in the run
	Lanes    *lanes
}

// A place is a position with its line of source, in which a part is marked.
type place struct {
	report.Position
	Message             string
	Before, Mark, After string
}

// groups returns findings by type and guard, in order of the names.
func groups(list []report.Finding) []*group {
	source := report.NewSource()
	byKey := make(map[[3]string]*group)
	var out []*group
	for i := range list {
		f := &list[i]
		typ, guard := subject(f, source)
		key := [3]string{f.Package, typ, guard}
		g := byKey[key]
		if g == nil {
			g = &group{Package: f.Package, Type: typ, Guard: guard}
			byKey[key] = g
			out = append(out, g)
		}
		it := &item{Finding: f, Function: source.FunctionName(f.Position), Lanes: newLanes(f.Run(), source)}
		it.add(source, f.Position, f.End, "reported here")
		for _, r := range f.Related {
			it.add(source, r.Position, r.End, r.Message)
		}
		g.Findings = append(g.Findings, it)
	}
	slices.SortStableFunc(out, func(a, b *group) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Guard, b.Guard))
	})
	return out
}

// add adds a place, unless the run shows its line. Another finding of the same cause is
// shown anyway.
func (it *item) add(source *report.Source, from, to report.Position, message string) {
	if !it.Lanes.shows(from) || report.IsFurther(message) {
		it.Places = append(it.Places, placeOf(source, from, to, message))
	}
}

func placeOf(source *report.Source, from, to report.Position, message string) place {
	p := place{Position: from, Message: message, After: source.Line(from)}
	start, end := source.Start(from).Column-1, len(p.After)
	if to.Line == from.Line {
		end = to.Column - 1
	}
	if from == to {
		end = start // only a position is known
	}
	if 0 <= start && start < end && end <= len(p.After) {
		p.Before, p.Mark, p.After = p.After[:start], p.After[start:end], p.After[end:]
	}
	p.Before = strings.TrimLeft(p.Before, " \t")
	if p.Mark == "" {
		p.After = strings.TrimLeft(p.After, " \t")
	}
	return p
}

// guards match the lock in a message or note.
var guards = []*regexp.Regexp{
	regexp.MustCompile(`\bunder ([\w.\[\]…]+)`),
	regexp.MustCompile(`([\w.\[\]…]+) (?:is|was) released`),
	regexp.MustCompile(`([\w.\[\]…]+) is taken`),
}

// subject returns the type and the guard that a finding is about. The type is that of the object, if
// the finding has anchors. A lock is named by an
// expression of the function, such as s.mu; its class, such as Store.mu, follows from the
// declaration of the function. Without a lock, the type is that of the method.
func subject(f *report.Finding, source *report.Source) (typ, guard string) {
	decl := source.Function(f.Position)
	if decl != nil && decl.Recv != nil && len(decl.Recv.List) > 0 {
		typ = report.TypeName(decl.Recv.List[0].Type)
	}
	declared := f.Anchors != nil && f.Anchors.Object.Type != ""
	if declared {
		typ = f.Anchors.Object.Type
	}
	texts := []string{f.Title()}
	for _, r := range f.Related {
		texts = append(texts, r.Message)
	}
	for _, text := range texts {
		for _, re := range guards {
			if m := re.FindStringSubmatch(text); m != nil {
				guard = class(m[1], decl)
				if t, _, ok := strings.Cut(guard, "."); ok && !declared && (t != "" && ast.IsExported(t) || typ == "") {
					typ = t
				}
				return typ, guard
			}
		}
	}
	if strings.Contains(f.Message, "atomic operations") {
		guard = "atomic operations"
	}
	return typ, guard
}

// class replaces the receiver or parameter that an expression begins with by its type.
func class(expr string, decl *ast.FuncDecl) string {
	root, rest, _ := strings.Cut(expr, ".")
	if decl == nil || rest == "" {
		return expr
	}
	fields := decl.Type.Params.List
	if decl.Recv != nil {
		fields = slices.Concat(decl.Recv.List, fields)
	}
	for _, field := range fields {
		for _, name := range field.Names {
			if t := report.TypeName(field.Type); name.Name == root && t != "" {
				return t + "." + rest
			}
		}
	}
	return expr
}
