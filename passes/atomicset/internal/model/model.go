// Package model is the small language of the programs that are checked: sequential
// processes with locks, shared locations and units of work.
//
// Empire translates Java to such a language for a model checker (Kidd, Reps, Dolby,
// Vaziri: Finding concurrency-related bugs using random isolation, section 4). Data is
// abstracted away: a branch is a choice. The model keeps what determines the order of
// accesses: control flow, calls, locks.
//
// A model has a text form, for tests and for the inspection of a check:
//
//	process a = deposit
//	process b = deposit
//
//	proc deposit {
//		begin
//		lock mu
//		read balance
//		unlock mu
//		lock mu
//		write balance
//		unlock mu
//		end
//	}
//
// The statements are
//
//	lock M, rlock M       take a lock, for reading; it must not be held already
//	unlock M, runlock M   release it; it must be held
//	wait M                release a lock and take it again
//	read X, write X       access a location
//	begin, end            a unit of work; one inside another belongs to it
//	try, retry X          what was read of X since the try is not used any more
//	call P, return        run a procedure
//	start P, join P       start a process that runs P, wait until it has ended
//	skip, stop            do nothing, do nothing more
//	choice { … } or { … } do one of these
//	loop { … }            do this any number of times
//	L:, goto L…           go to any of the labels
package model

import (
	"go/token"
	"slices"
)

// An Op is the operation of a node.
type Op uint8

// The operations, each a statement of the language.
const (
	Skip    Op = iota // no effect
	Lock              // take a lock
	RLock             // take a lock for reading
	Unlock            // release a lock
	RUnlock           // release a lock held for reading
	Wait              // release a lock and take it again
	Read              // read a location
	Write             // write a location
	Begin             // begin a unit of work
	End               // end a unit of work
	Try               // begin an attempt, see Retry
	Retry             // discard what was read of a location since the Try
	Call              // run a procedure
	Return            // end the procedure
	Start             // start a process
	Join              // wait for the end of a process
)

var opNames = [...]string{"skip", "lock", "rlock", "unlock", "runlock", "wait", "read", "write", "begin", "end", "try", "retry", "call", "return", "start", "join"}

// String returns the keyword of the statement.
func (o Op) String() string { return opNames[o] }

// OnLock reports whether it is an operation on a lock.
func (o Op) OnLock() bool { return o >= Lock && o <= Wait }

func (o Op) onLocation() bool { return o == Read || o == Write || o == Retry }
func (o Op) onProc() bool     { return o == Call || o == Start || o == Join }

// A Node is one step of a procedure. The process continues at any of the successors;
// without a successor, it stops.
type Node struct {
	Op    Op    // what the step does
	Arg   int   // index into Model.Locks, Locations or Procs
	Succs []int // the nodes after it, by index
	// Pos is the position in the program or, in a parsed model, the line.
	Pos token.Pos
	// Text is the operand as the program names it, and Where the function with the step.
	Text, Where string
}

// A Proc is a procedure. It starts at node 0.
type Proc struct {
	Name  string
	Nodes []Node // the steps; node 0 is the entry
}

// A Process runs a procedure, concurrently with the other processes.
type Process struct {
	Name string
	Proc int // index of its procedure
}

// A Model is a program.
type Model struct {
	Locks     []string  // names of the locks
	Locations []string  // names of the locations
	Procs     []*Proc   // procedures, the operands of Call and Start
	Processes []Process // processes that run from the beginning
}

// Lock returns the index of the named lock, adding it if needed.
func (m *Model) Lock(name string) int { return indexOf(&m.Locks, name) }

// Location returns the index of the named location, adding it if needed.
func (m *Model) Location(name string) int { return indexOf(&m.Locations, name) }

func indexOf(list *[]string, name string) int {
	i := slices.Index(*list, name)
	if i < 0 {
		i = len(*list)
		*list = append(*list, name)
	}
	return i
}

// Size returns the number of nodes.
func (m *Model) Size() int {
	n := 0
	for _, p := range m.Procs {
		n += len(p.Nodes)
	}
	return n
}

// Reachable returns the procedures that root may run in its own process.
func (m *Model) Reachable(root int) []int {
	seen := map[int]bool{root: true}
	order := []int{root}
	for i := 0; i < len(order); i++ {
		for _, n := range m.Procs[order[i]].Nodes {
			if n.Op == Call && !seen[n.Arg] {
				seen[n.Arg] = true
				order = append(order, n.Arg)
			}
		}
	}
	return order
}

// Recursive reports whether a procedure that root may run can call itself.
func (m *Model) Recursive(root int) bool {
	const (
		open = 1
		done = 2
	)
	state := make(map[int]int)
	var visit func(p int) bool
	visit = func(p int) bool {
		switch state[p] {
		case open:
			return true
		case done:
			return false
		}
		state[p] = open
		for _, n := range m.Procs[p].Nodes {
			if n.Op == Call && visit(n.Arg) {
				return true
			}
		}
		state[p] = done
		return false
	}
	return visit(root)
}
