package a

import (
	"errors"
	"os/exec"
	"sync"
	"time"
)

var ErrNoSuchProcess = errors.New("no such process")

const bufferSize = 2048

type Exit struct {
	Timestamp time.Time
	Pid       int
	Status    int
}

type subscriber struct {
	sync.Mutex
	c      chan Exit
	closed bool
}

func (s *subscriber) close() {
	s.Lock()
	defer s.Unlock()
	if !s.closed {
		close(s.c)
		s.closed = true
	}
}

func (s *subscriber) do(fn func()) {
	s.Lock()
	defer s.Unlock()
	fn()
}

// Reap should be called when the process receives an SIGCHLD.  Reap will reap
// all exited processes and close their wait channels
func Reap(exits []Exit) {
	now := time.Now()
	for _, e := range exits {
		done := Default.notify(Exit{Timestamp: now, Pid: e.Pid, Status: e.Status})
		select {
		case <-done:
		case <-time.After(1 * time.Second):
		}
	}
}

var Default = &Monitor{
	subscribers: make(map[chan Exit]*subscriber),
}

type Monitor struct {
	sync.Mutex
	subscribers map[chan Exit]*subscriber
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
func (m *Monitor) Wait(c *exec.Cmd, ec chan Exit) (int, error) {
	for e := range ec {
		if e.Pid == c.Process.Pid {
			c.Wait()
			m.Unsubscribe(ec)
			return e.Status, nil
		}
	}
	return -1, ErrNoSuchProcess
}

func (m *Monitor) Subscribe() chan Exit {
	c := make(chan Exit, bufferSize)
	m.Lock()
	m.subscribers[c] = &subscriber{c: c}
	m.Unlock()
	return c
}

func (m *Monitor) Unsubscribe(c chan Exit) {
	m.Lock()
	defer m.Unlock()
	s, ok := m.subscribers[c]
	if !ok {
		return
	}
	s.close()
	delete(m.subscribers, c)
}

func (m *Monitor) getSubscribers() map[chan Exit]*subscriber {
	out := make(map[chan Exit]*subscriber)
	m.Lock()
	for k, v := range m.subscribers {
		out[k] = v
	}
	m.Unlock()
	return out
}

func (m *Monitor) notify(e Exit) chan struct{} {
	const timeout = 1 * time.Millisecond
	var (
		done    = make(chan struct{}, 1)
		success = make(map[chan Exit]struct{})
	)
	go func() {
		defer close(done)

		for {
			failed := 0
			for _, s := range m.getSubscribers() {
				s.do(func() {
					if s.closed {
						return
					}
					if _, ok := success[s.c]; ok {
						return
					}
					timer := time.NewTimer(timeout)
					select {
					case s.c <- e:
						success[s.c] = struct{}{}
					case <-timer.C:
						failed++
					}
					timer.Stop()
				})
			}
			if failed == 0 {
				return
			}
		}
	}()
	return done
}
