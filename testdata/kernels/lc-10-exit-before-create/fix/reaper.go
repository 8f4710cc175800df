package shim

import "sync"

// Exit is a process that has been reaped.
type Exit struct {
	Pid    int
	Status int
}

// Monitor has the commands whose exit is waited for.
type Monitor struct {
	sync.Mutex
	cmds map[int]*Cmd
}

// NewMonitor returns a monitor without commands.
func NewMonitor() *Monitor {
	return &Monitor{cmds: make(map[int]*Cmd)}
}

// Cmd is a registered command.
type Cmd struct {
	ExitCh chan int
}

// RegisterNL does not grab the lock internally
// the caller is responsible for locking the monitor
func (m *Monitor) RegisterNL(pid int, c *Cmd) {
	m.cmds[pid] = c
}

// Run should be fed when the process receives an SIGCHLD.  It sends the status
// of all exited processes to their wait channels
func (m *Monitor) Run(exits <-chan Exit) {
	for e := range exits {
		m.Lock()
		c, ok := m.cmds[e.Pid]
		delete(m.cmds, e.Pid)
		m.Unlock()
		if !ok {
			continue
		}
		c.ExitCh <- e.Status
	}
}
