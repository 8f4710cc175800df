package callgraph

import (
	"go/ast"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A call of a forwarder (see ssautil.Forwarded) is a call of what that calls. A forwarder that code outside the package can
// call, or that the package does not mention, has a node nevertheless: it is where something comes in. One whose name or comment promises something
// about its callers, which the other function has no part in, is a function of its own.

// promise matches comments that may say how a function is to be called.
var promise = regexp.MustCompile(`(?i)atomvet:|lock|mutex|held|serial|concurren|parallel|goroutine|thread|once`)

// forwarders maps each forwarder to the node of the function that it calls.
func (p *Graph) forwarders() map[*Node]*Node {
	out := make(map[*Node]*Node)
	for _, f := range p.Funcs {
		fn := ssautil.Forwarded(f.Fn)
		if fn == nil || f.Fn.Parent() != nil || f.Fn.TypeParams().Len() > 0 || promises(f.Fn, fn) || f.Fn.Signature.Recv() != nil && fn.Signature.Recv() == nil {
			continue
		}
		if to := p.source(fn); to != nil && to.Test == f.Test {
			out[f] = to
		}
	}
	return out
}

// promises reports whether the name or the comment of a forwarder may say something about its callers.
func promises(fn, to *ssa.Function) bool {
	decl, ok := fn.Syntax().(*ast.FuncDecl)
	return !ok || strings.HasSuffix(fn.Name(), "Locked") && !strings.HasSuffix(to.Name(), "Locked") ||
		decl.Doc != nil && slices.ContainsFunc(decl.Doc.List, func(c *ast.Comment) bool { return promise.MatchString(c.Text) })
}

// lookThrough makes calls of forwarders calls of what they call.
func (p *Graph) lookThrough() {
	p.forwards = p.forwarders()
	if len(p.forwards) == 0 {
		return
	}
	clear(p.implementers) // they have been asked for, to see what is callable
	mentioned := p.mentions()
	funcs := p.Funcs
	p.Funcs = nil
	for _, f := range funcs {
		target := p.last(f)
		for i, m := range p.methods[f.Fn.Name()] {
			if m == f {
				p.methods[f.Fn.Name()][i] = target
			}
		}
		if target == f || p.Callable(f) || !mentioned[f] {
			f.ID, f.Forwards = len(p.Funcs), target != f
			p.Funcs = append(p.Funcs, f)
		} else {
			p.ByFn[f.Fn] = target
		}
		if target != f {
			target.forwarders = append(target.forwarders, f)
		}
	}
}

// mentions returns the functions that some function calls, by an interface too, or has as a value.
func (p *Graph) mentions() map[*Node]bool {
	out, invoked := make(map[*Node]bool), make(map[string]bool)
	var operands [10]*ssa.Value
	for _, f := range p.Funcs {
		for _, b := range f.Fn.Blocks {
			for _, instr := range b.Instrs {
				if c, ok := instr.(ssa.CallInstruction); ok && c.Common().IsInvoke() {
					invoked[c.Common().Method.Name()] = true
				}
				for _, v := range instr.Operands(operands[:0]) {
					if fn, ok := (*v).(*ssa.Function); ok {
						out[p.node(fn)] = true
					}
				}
			}
		}
	}
	for name := range invoked {
		for _, m := range p.methods[name] {
			out[m] = true
		}
	}
	return out
}
