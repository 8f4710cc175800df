package shim

import (
	"sync"
	"syscall"
)

// Reap should be called when the process receives an SIGCHLD. Reap will reap
// all exited processes and close their wait channels
func Reap() error {
	for {
		defaultReaper.Lock()
		var ws syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &ws, syscall.WNOHANG, nil)
		if err != nil || pid <= 0 {
			defaultReaper.Unlock()
			if err == syscall.ECHILD {
				return nil
			}
			return err
		}
		if cmd, ok := defaultReaper.cmds[pid]; ok {
			cmd.ExitCh <- ws.ExitStatus()
			delete(defaultReaper.cmds, pid)
		}
		defaultReaper.Unlock()
	}
}

var defaultReaper = &Monitor{
	cmds: make(map[int]*Cmd),
}

// Monitor hands exit statuses to the waiters.
type Monitor struct {
	sync.Mutex

	cmds map[int]*Cmd
}

// Cmd is a process whose exit is waited for.
type Cmd struct {
	ExitCh chan int
}

// RegisterNL does not grab the lock internally
// the caller is responsible for locking the monitor
func (m *Monitor) RegisterNL(pid int, c *Cmd) {
	m.cmds[pid] = c
}
