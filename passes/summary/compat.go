package summary

import (
	"iter"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/depgraph"
)

func (p *Package) Slice(f *Func, v ssa.Value) depgraph.Slice { return f.Slice(v) }
func (p *Package) BranchesOn(f *Func, values []ssa.Value) iter.Seq[*ssa.If] {
	return f.BranchesOn(values)
}
func (p *Package) LeadsTo(f *Func, r *Event, b *ssa.BasicBlock) bool { return f.LeadsTo(r, b) }
func (p *Package) IsFailure(f *Func, cond ssa.Value, values []ssa.Value) bool {
	return f.IsFailure(cond, values)
}
func (p *Package) Truth(f *Func, v ssa.Value) Truth                  { return f.Truth(v) }
func (p *Package) Adds(f *Func, v ssa.Value, of []ssa.Value) bool    { return f.Adds(v, of) }
func (p *Package) Sinks(f *Func) []Sink                              { return f.Sinks() }
func (p *Package) Joined(f *Func, first, second *Event) (Join, bool) { return f.Joined(first, second) }
func (p *Package) Steps(f *Func) map[ssa.Instruction][]Step          { return f.Steps() }
func (p *Package) Alternatives(f *Func, events []int) [][]int        { return f.Alternatives(events) }
func (p *Package) Conditions(e *Event) []ssa.Value                   { return p.any(e.Instr).Conditions(e) }
func (p *Package) Branches(e *Event) []*ssa.If                       { return p.any(e.Instr).Branches(e) }
func (p *Package) DirectBranches(b *ssa.BasicBlock) []*ssa.If {
	return p.any(b.Instrs[0]).DirectBranches(b)
}
func (p *Package) DecidedBy(b *ssa.BasicBlock, c map[ssa.Value]bool) bool {
	return p.any(b.Instrs[0]).DecidedBy(b, c)
}
func (p *Package) any(i ssa.Instruction) *SumFunc { return p.SumPackage.Funcs[0] }
