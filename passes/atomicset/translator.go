package atomicset

import (
	"fmt"
	"strings"

	"github.com/atomvet/atomvet/passes/atomicset/internal/model"
	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/summary"
)

// A translator builds the model of one set.
type translator struct {
	pkg   *summary.Package
	set   *atomicSet
	units *units
	cands *candidates
	m     *model.Model
	procs map[string]int
	// processes are the entry points that a go statement may start.
	processes []*process
	starts    []start
	awaits    []await
	nodes     int // number of nodes so far
	// cand is the path of the object in the current process.
	cand candidate
	// full says that the model reached its bound and is incomplete.
	full bool
}

// An instance is a function with the paths of its parameters and free variables.
type instance struct {
	f             *summary.Func
	params, frees []accesspath.Path
	fns           []*binding // of the parameters that are functions
	entry         bool       // the process starts at it
	unit          bool
}

func (in *instance) key(cand candidate) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s|%v|%v|%v|%v", in.f.Fn.String(), in.params, in.frees, in.entry, in.f == cand.fn)
	for _, fn := range in.fns {
		if fn != nil {
			b.WriteString("|" + fn.key)
		} else {
			b.WriteString("|")
		}
	}
	if in.entry || cand.base.Root() != cand.base || !isParam(cand.base) {
		fmt.Fprintf(&b, "|%s:%s=%s", cand.fn.Fn.String(), cand.base, cand.as)
	}
	return b.String()
}

// isParam reports whether a path is a parameter or free variable, without selectors.
func isParam(p accesspath.Path) bool { return p.IsParam() || p.IsFree() }

// A binding is a function value that is the value of a parameter.
type binding struct {
	fn *summary.Func
	// params are the paths of the function's parameters: all arguments of a call, or the
	// receiver of a method value.
	params, frees []accesspath.Path
	fns           []*binding
	key           string
}

// A start is a node at which processes are started.
type start struct {
	proc, node int
	process    *process
	signals    []signal
	repeated   bool
}

// An await is a node that waits for signals.
type await struct {
	proc, node int
	key        string
	repeated   bool
}
