package model

import (
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Parse reads the text form of a model. Errors name the line.
func Parse(text string) (*Model, error) {
	p := &parser{m: new(Model), procs: make(map[string]int)}
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		line = strings.NewReplacer("{", " { ", "}", " } ", ":", " : ").Replace(line)
		for _, w := range strings.Fields(line) {
			p.words = append(p.words, word{w, i + 1})
		}
	}
	if err := p.parse(); err != nil {
		return nil, err
	}
	return p.m, nil
}

type word struct {
	text string
	line int
}

type parser struct {
	m     *Model
	words []word
	at    int
	procs map[string]int
	used  []int // the lines where procedures are first mentioned
	order []int // procedures in the order of their definitions

	// of the procedure that is being read
	proc   *Proc
	labels map[string]int
	gotos  []jump
	// loose are the nodes whose successor is the next node.
	loose []int
}

// A jump is a goto whose labels may come later.
type jump struct {
	from   int
	labels []word
}

// expected returns an error about the next word.
func (p *parser) expected(what string) error {
	line := 0
	if i := min(p.at, len(p.words)-1); i >= 0 {
		line = p.words[i].line
	}
	return fmt.Errorf("line %d: found %q instead of %s", line, p.peek(), what)
}

// errorf returns an error about the last word.
func (p *parser) errorf(format string, args ...any) error {
	return fmt.Errorf("line %d: %s", p.words[max(p.at-1, 0)].line, fmt.Sprintf(format, args...))
}

func (p *parser) peek() string {
	if p.at < len(p.words) {
		return p.words[p.at].text
	}
	return ""
}

// name reads the next word, which has to be a name.
func (p *parser) name() (string, error) {
	w := p.peek()
	if w == "" || strings.ContainsAny(w, "{}:=") {
		return "", p.expected("a name")
	}
	p.at++
	return w, nil
}

func (p *parser) expect(text string) error {
	if p.peek() != text {
		return p.expected(strconv.Quote(text))
	}
	p.at++
	return nil
}

func (p *parser) parse() error {
	for p.at < len(p.words) {
		var err error
		switch p.peek() {
		case "process":
			err = p.process()
		case "proc":
			err = p.procedure()
		default:
			err = p.expected("process or proc")
		}
		if err != nil {
			return err
		}
	}
	for i, proc := range p.m.Procs {
		if !slices.Contains(p.order, i) {
			return fmt.Errorf("line %d: there is no proc %s", p.used[i], proc.Name)
		}
	}
	p.reorder()
	return nil
}

// reorder puts the procedures in the order of their definitions.
func (p *parser) reorder() {
	number := make([]int, len(p.order))
	procs := make([]*Proc, len(p.order))
	for to, from := range p.order {
		number[from], procs[to] = to, p.m.Procs[from]
	}
	p.m.Procs = procs
	for i := range p.m.Processes {
		p.m.Processes[i].Proc = number[p.m.Processes[i].Proc]
	}
	for _, proc := range procs {
		for i := range proc.Nodes {
			if n := &proc.Nodes[i]; n.Op.onProc() {
				n.Arg = number[n.Arg]
			}
		}
	}
}

func (p *parser) process() error {
	p.at++
	name, err := p.name()
	if err != nil {
		return err
	}
	if err := p.expect("="); err != nil {
		return err
	}
	proc, err := p.name()
	if err != nil {
		return err
	}
	p.m.Processes = append(p.m.Processes, Process{name, p.procIndex(proc)})
	return nil
}

// procIndex returns the index of the named procedure, defined or not yet.
func (p *parser) procIndex(name string) int {
	i, ok := p.procs[name]
	if !ok {
		i = len(p.m.Procs)
		p.procs[name] = i
		p.m.Procs = append(p.m.Procs, &Proc{Name: name})
		p.used = append(p.used, p.words[p.at-1].line)
	}
	return i
}

func (p *parser) procedure() error {
	p.at++
	name, err := p.name()
	if err != nil {
		return err
	}
	index := p.procIndex(name)
	if slices.Contains(p.order, index) {
		return p.errorf("there are two procs %s", name)
	}
	p.order = append(p.order, index)
	p.proc = p.m.Procs[index]
	p.labels, p.gotos, p.loose = make(map[string]int), nil, nil
	if err := p.block(); err != nil {
		return err
	}
	if len(p.loose) > 0 || len(p.proc.Nodes) == 0 {
		p.add(Return, 0)
	}
	for _, j := range p.gotos {
		for _, l := range j.labels {
			to, ok := p.labels[l.text]
			if !ok {
				return fmt.Errorf("line %d: there is no label %s", l.line, l.text)
			}
			p.proc.Nodes[j.from].Succs = append(p.proc.Nodes[j.from].Succs, to)
		}
	}
	return p.balanced()
}

// block reads statements in braces.
func (p *parser) block() error {
	if err := p.expect("{"); err != nil {
		return err
	}
	for p.peek() != "}" {
		if p.at >= len(p.words) {
			return p.errorf("a } is missing")
		}
		if err := p.statement(); err != nil {
			return err
		}
	}
	p.at++
	return nil
}

// add appends a node, as the successor of the loose ones.
func (p *parser) add(op Op, arg int) int {
	i := len(p.proc.Nodes)
	line := token.NoPos
	if p.at > 0 {
		line = token.Pos(p.words[p.at-1].line)
	}
	p.proc.Nodes = append(p.proc.Nodes, Node{Op: op, Arg: arg, Pos: line})
	for _, from := range p.loose {
		p.proc.Nodes[from].Succs = append(p.proc.Nodes[from].Succs, i)
	}
	p.loose = []int{i}
	return i
}

func (p *parser) statement() error {
	w := p.peek()
	p.at++
	switch w {
	case "choice":
		return p.choice()
	case "loop":
		return p.loop()
	case "goto":
		return p.jump()
	case "stop":
		p.last()
		p.loose = nil
		return nil
	}
	if p.peek() == ":" {
		if strings.ContainsAny(w, "{}:=") {
			return p.errorf("%q is no label", w)
		}
		if _, ok := p.labels[w]; ok {
			return p.errorf("there are two labels %s", w)
		}
		p.at++
		p.labels[w] = len(p.proc.Nodes)
		if p.peek() == "}" {
			p.add(Skip, 0) // the next node may be the head of a loop
		}
		return nil
	}
	op := Op(slices.Index(opNames[:], w))
	if int(op) >= len(opNames) {
		return p.errorf("unknown statement %q", w)
	}
	arg := 0
	if op.OnLock() || op.onLocation() || op.onProc() {
		name, err := p.name()
		if err != nil {
			return err
		}
		switch {
		case op.OnLock():
			arg = p.m.Lock(name)
		case op.onLocation():
			arg = p.m.Location(name)
		default:
			arg = p.procIndex(name)
		}
	}
	p.add(op, arg)
	if op == Return {
		p.loose = nil
	}
	return nil
}

func (p *parser) choice() error {
	p.add(Skip, 0)
	before := p.loose
	var after []int
	for {
		p.loose = before
		if err := p.block(); err != nil {
			return err
		}
		after = append(after, p.loose...)
		if p.peek() != "or" {
			break
		}
		p.at++
	}
	slices.Sort(after)
	p.loose = slices.Compact(after)
	return nil
}

func (p *parser) loop() error {
	head := p.add(Skip, 0)
	if err := p.block(); err != nil {
		return err
	}
	for _, from := range p.loose {
		p.proc.Nodes[from].Succs = append(p.proc.Nodes[from].Succs, head)
	}
	p.loose = []int{head}
	return nil
}

// last returns the last node read, for a statement that sets its successors, or a new
// node if control reaches that statement on other paths too.
func (p *parser) last() int {
	at := len(p.proc.Nodes) - 1
	labelled := slices.Contains(slices.Collect(maps.Values(p.labels)), at+1)
	if labelled || len(p.loose) != 1 || p.loose[0] != at || len(p.proc.Nodes[at].Succs) > 0 {
		at = p.add(Skip, 0)
	}
	return at
}

func (p *parser) jump() error {
	j := jump{from: p.last()}
	line := p.words[p.at-1].line
	for p.at < len(p.words) && p.words[p.at].line == line && p.peek() != "}" {
		if _, err := p.name(); err != nil {
			return err
		}
		j.labels = append(j.labels, p.words[p.at-1])
	}
	if len(j.labels) == 0 {
		return p.errorf("goto needs a label")
	}
	p.gotos = append(p.gotos, j)
	p.loose = nil
	return nil
}

// balanced checks that every path through the procedure ends the units of work that it
// begins, so that the extent of a unit is visible in the text.
func (p *parser) balanced() error {
	const unseen = -1
	depth := make([]int, len(p.proc.Nodes))
	for i := range depth {
		depth[i] = unseen
	}
	depth[0] = 0
	for work := []int{0}; len(work) > 0; {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		n, d := p.proc.Nodes[i], depth[i]
		switch n.Op {
		case Begin:
			d++
		case End:
			d--
		}
		if d < 0 || d > 0 && n.Op == Return {
			return fmt.Errorf("line %d: proc %s: begin and end do not match", n.Pos, p.proc.Name)
		}
		for _, s := range n.Succs {
			if depth[s] == unseen {
				depth[s] = d
				work = append(work, s)
			} else if depth[s] != d {
				return fmt.Errorf("line %d: proc %s: begin and end do not match", p.proc.Nodes[s].Pos, p.proc.Name)
			}
		}
	}
	return nil
}
