package methodviews

import (
	"slices"
	"strings"

	"github.com/atomvet/atomvet/cmd/papers/internal/teixeira/trace"
	"github.com/atomvet/atomvet/passes/summary"
)

// A variable is a shared variable, read or written: a view has the two apart.
type variable struct {
	trace.Field
	written bool
}

func (v variable) String() string {
	if v.written {
		return v.Name + " (written)"
	}
	return v.Name + " (read)"
}

// A view is what some code reads and writes.
type view map[variable]bool

// viewOf returns the view of some accesses.
func viewOf(a trace.Accesses) view {
	v := make(view)
	for f := range a.Reads {
		if !f.Constant {
			v[variable{f, false}] = true
		}
	}
	for f := range a.Writes {
		if !f.Constant {
			v[variable{f, true}] = true
		}
	}
	return v
}

// overlap returns what is in both views.
func (v view) overlap(w view) view {
	out := make(view)
	for x := range v {
		if w[x] {
			out[x] = true
		}
	}
	return out
}

// partOf reports whether all of v is in w.
func (v view) partOf(w view) bool { return len(v.overlap(w)) == len(v) }

// String returns the view as a message shows it.
func (v view) String() string {
	var names []string
	for x := range v {
		names = append(names, x.String())
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// A method is a function with its view.
type method struct {
	*summary.Func
	view
}

// isMethod reports whether f is code that is meant as one step.
func isMethod(f *summary.Func) bool {
	name := f.Fn.Name()
	return f.Fn.Parent() == nil && name != "main" && !strings.HasPrefix(name, "init#") && f.Fn.Synthetic == ""
}
