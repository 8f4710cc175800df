package a

import (
	"errors"
	"os/exec"
	"sync"
	"time"
)

// ErrNoSuchProcess is returned when the process no longer exists
var ErrNoSuchProcess = errors.New("no such process")

const bufferSize = 2048

type Exit struct {
	Timestamp time.Time
	Pid       int
	Status    int
}

// Reap should be called when the process receives an SIGCHLD.  Reap will reap
// all exited processes and close their wait channels
func Reap(exits []Exit) {
	var (
		now     = time.Now()
		current []chan Exit
	)

	Default.Lock()
	for c := range Default.subscribers {
		current = append(current, c)
	}
	Default.Unlock()

	for _, e := range exits {
		go notify(Exit{
			Timestamp: now,
			Pid:       e.Pid,
			Status:    e.Status,
		}, current)
	}
}

var Default = &Monitor{
	subscribers: make(map[chan Exit]struct{}),
}

type Monitor struct {
	sync.Mutex

	subscribers map[chan Exit]struct{}
}

func (m *Monitor) Start(c *exec.Cmd) (chan Exit, error) {
	ec := m.Subscribe()
	if err := c.Start(); err != nil {
		m.Unsubscribe(ec)
		return nil, err
	}
	return ec, nil
}

// Wait blocks until a process is signal as dead.
// User should rely on the value of the exit status to determine if the
// command was successful or not.
func (m *Monitor) Wait(c *exec.Cmd, ec chan Exit) (int, error) {
	for e := range ec {
		if e.Pid == c.Process.Pid {
			// make sure we flush all IO
			c.Wait()
			m.Unsubscribe(ec)
			return e.Status, nil
		}
	}
	// return no such process if the ec channel is closed and no more exit
	// events will be sent
	return -1, ErrNoSuchProcess
}

func (m *Monitor) Subscribe() chan Exit {
	c := make(chan Exit, bufferSize)
	m.Lock()
	m.subscribers[c] = struct{}{}
	m.Unlock()
	return c
}

func (m *Monitor) Unsubscribe(c chan Exit) {
	m.Lock()
	delete(m.subscribers, c)
	close(c)
	m.Unlock()
}

func notify(e Exit, subscribers []chan Exit) {
	const timeout = 10 * time.Millisecond

	for i := 0; i < 50; i++ {
		var failed []chan Exit
		for _, s := range subscribers {
			timer := time.NewTimer(timeout)
			select {
			case s <- e:
			case <-timer.C:
				failed = append(failed, s)
			}
			timer.Stop()
		}
		if len(failed) == 0 {
			return
		}
		subscribers = failed
	}
}
