package atomicset

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/atomicset/internal/model"
	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/summary"
)

// A builder translates a function to one procedure.
type builder struct {
	t      *translator
	in     *instance
	proc   *model.Proc
	where  string // name of the function
	steps  map[ssa.Instruction][]summary.Step
	states map[string]int // the first nodes of the translated blocks
	count  map[int]int    // number of states of each block
	work   []job
	loose  []int // nodes whose successor is the next node
	vars   map[*ssa.Phi]accesspath.Path
	loops  map[*ssa.BasicBlock][]int // see retried
}

// A state is what the translation of a block depends on, apart from the block.
type state struct {
	defers []*ssa.Defer
	// vars are the paths of the phis.
	vars map[*ssa.Phi]accesspath.Path
}

func (s state) key(block int) string {
	var b strings.Builder
	fmt.Fprint(&b, block)
	for _, d := range s.defers {
		fmt.Fprintf(&b, "|%d.%d", d.Block().Index, slices.Index(d.Block().Instrs, ssa.Instruction(d)))
	}
	list := make([]string, 0, len(s.vars))
	for phi, p := range s.vars {
		list = append(list, phi.Name()+"="+string(p))
	}
	slices.Sort(list)
	fmt.Fprint(&b, list)
	return b.String()
}

type job struct {
	block *ssa.BasicBlock
	st    state
	node  int
}

// emit appends a node, as the successor of the loose ones.
func (b *builder) emit(op model.Op, arg int, pos token.Pos, text string) int {
	i := len(b.proc.Nodes)
	b.proc.Nodes = append(b.proc.Nodes, model.Node{Op: op, Arg: arg, Pos: pos, Text: text, Where: b.where})
	b.t.nodes++
	b.link(i)
	b.loose = []int{i}
	return i
}

// link makes node i the successor of the loose nodes.
func (b *builder) link(i int) {
	for _, from := range b.loose {
		if n := &b.proc.Nodes[from]; !slices.Contains(n.Succs, i) {
			n.Succs = append(n.Succs, i)
		}
	}
}

// index returns the index of the procedure that is being built.
func (b *builder) index() int { return slices.Index(b.t.m.Procs, b.proc) }
