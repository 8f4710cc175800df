package callgraph

import (
	"go/ast"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A call of a forwarder (see ssautil.Forwarded) is a call of what that calls. Only code outside the package comes in by the forwarder itself.
// One whose name or comment promises something about its callers, which the other function has no part in, is a function of its own, and so is
// one with which the program, or a test, begins.

// promise matches comments that may say how a function is to be called.
var promise = regexp.MustCompile(`(?i)\b((un)?lock(s|ed|ing)?|mutex(es)?|held|holds?|holding|serial(ly|ized|izes)?|concurren(t|tly|cy)|parallel|goroutines?|threads?|once|exclusive(ly)?|owns?|owner)\b`)

// directive matches directives to analyzers: //atomvet:…, //+checklocks.
var directive = regexp.MustCompile(`^//\s*(atomvet:|\+check)`)

// lookThrough finds the targets of the forwarders, and makes calls by interfaces calls of the targets.
func (p *Graph) lookThrough() {
	callees := p.forwarders()
	ends := make(map[*Node]*Node, len(callees))
	for _, f := range p.Funcs {
		to := end(f, callees, ends)
		if to == f || to == nil {
			continue
		}
		f.target = to
		to.forwarders = append(to.forwarders, f)
		for i, m := range p.methods[f.Fn.Name()] {
			if m == f {
				p.methods[f.Fn.Name()][i] = to
			}
		}
	}
}

// end returns the function that a chain of forwarders ends with, nil for one that leads into a circle, which has no target. It adds the end
// of each forwarder of the chain to ends, so that a chain is gone through once.
func end(f *Node, callees, ends map[*Node]*Node) *Node {
	var chain []*Node
	to := f
	for callees[to] != nil {
		if known, ok := ends[to]; ok {
			to = known
			break
		}
		ends[to] = nil // what comes here again is a circle
		chain = append(chain, to)
		to = callees[to]
	}
	for _, g := range chain {
		ends[g] = to
	}
	return to
}

// forwarders maps each forwarder to its callee.
func (p *Graph) forwarders() map[*Node]*Node {
	out := make(map[*Node]*Node)
	for _, f := range p.Funcs {
		fn := ssautil.Forwarded(f.Fn)
		if fn == nil || f.Fn.Parent() != nil || f.Fn.TypeParams().Len() > 0 || f.Fn.Signature.Recv() != nil && fn.Signature.Recv() == nil {
			continue
		}
		if p.StartsProgram(f) || f.Test && IsTestName(f.Fn.Name()) || promises(f.Fn, fn) {
			continue
		}
		if to := p.node(fn); to != nil && to.Test == f.Test {
			out[f] = to
		}
	}
	return out
}

// promises reports whether the name or the comment of a forwarder may say something about its callers, or a directive something about it or
// the function that it calls.
func promises(fn, to *ssa.Function) bool {
	if strings.HasSuffix(fn.Name(), "Locked") && !strings.HasSuffix(to.Name(), "Locked") {
		return true
	}
	return hasComment(fn, promise) || hasComment(fn, directive) || hasComment(to, directive)
}

// hasComment reports whether a line of the doc comment of a function matches.
func hasComment(fn *ssa.Function, re *regexp.Regexp) bool {
	decl, ok := fn.Syntax().(*ast.FuncDecl)
	return ok && decl.Doc != nil && slices.ContainsFunc(decl.Doc.List, func(c *ast.Comment) bool { return re.MatchString(c.Text) })
}

// bypass takes the forwarders out of the graph that code outside the package cannot call, and that the package mentions: all their calls are
// calls of the targets.
func (p *Graph) bypass() {
	if !slices.ContainsFunc(p.Funcs, (*Node).Forwards) {
		return
	}
	for f := range p.mentioned() {
		if !p.Callable(f) {
			f.Bypassed, f.Calls = true, nil
		}
	}
}

// mentioned returns the forwarders that some function calls or has as a value, and the methods among them that have the name of one that is
// called by an interface.
func (p *Graph) mentioned() map[*Node]bool {
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
						if g := p.node(fn); g != nil && g.Forwards() {
							out[g] = true
						}
					}
				}
			}
		}
	}
	for _, f := range p.Funcs {
		if f.Forwards() && f.Fn.Signature.Recv() != nil && invoked[f.Fn.Name()] {
			out[f] = true
		}
	}
	return out
}
