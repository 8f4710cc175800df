package a

import (
	"sync"
)

// exit is reported by the reaper for every process that ended.
type exit struct {
	pid    int
	status int
}

type container struct {
	id      string
	initPid int
}

type process struct {
	id  string
	pid int
	run func() (pid int, err error)
}

type containerProcess struct {
	c *container
	p *process
}

type event struct {
	topic     string
	container string
	process   string
	status    int
}

// service is the shim implementation of a remote shim over GRPC
type service struct {
	ec     chan exit
	events chan event

	lifecycleMu sync.Mutex
	running     map[int]containerProcess // pid -> running process, guarded by lifecycleMu
	// Subscriptions to exits for PIDs.
	exitSubscribers map[*map[int]exit]struct{}
	pendingExecs    map[*container]int  // container -> num pending execs, guarded by lifecycleMu
	deferred        map[*container]exit // init exits held back, guarded by lifecycleMu
}

func newService() *service {
	return &service{
		ec:              make(chan exit, 32),
		events:          make(chan event, 128),
		running:         make(map[int]containerProcess),
		exitSubscribers: make(map[*map[int]exit]struct{}),
		pendingExecs:    make(map[*container]int),
		deferred:        make(map[*container]exit),
	}
}

// preStart prepares for starting an exec and handling its exit.
func (s *service) preStart(c *container) *map[int]exit {
	exits := make(map[int]exit)
	s.lifecycleMu.Lock()
	defer s.lifecycleMu.Unlock()
	s.exitSubscribers[&exits] = struct{}{}
	s.pendingExecs[c]++
	return &exits
}

// handleStarted records that the process has started; if it has already
// exited its exit is handled at once. Call it after the start event.
func (s *service) handleStarted(c *container, p *process, exits *map[int]exit) {
	s.lifecycleMu.Lock()
	delete(s.exitSubscribers, exits)
	ee, exited := (*exits)[p.pid]
	if p.pid != 0 && !exited {
		s.running[p.pid] = containerProcess{c: c, p: p}
	}
	if p.pid != 0 && exited {
		s.handleExit(ee, c, p)
	}
	s.pendingExecs[c]--
	if s.pendingExecs[c] == 0 {
		delete(s.pendingExecs, c)
		if ie, ok := s.deferred[c]; ok {
			delete(s.deferred, c)
			s.handleExit(ie, c, &process{pid: ie.pid})
		}
	}
	s.lifecycleMu.Unlock()
}

// Exec starts a process in the container.
func (s *service) Exec(c *container, p *process) error {
	exits := s.preStart(c)
	pid, err := p.run()
	if err == nil {
		p.pid = pid
		s.send(event{topic: "/tasks/exec-started", container: c.id, process: p.id})
	}
	s.handleStarted(c, p, exits)
	return err
}

// AddInit records the init process of a container that was started.
func (s *service) AddInit(c *container) {
	s.lifecycleMu.Lock()
	s.running[c.initPid] = containerProcess{c: c, p: &process{pid: c.initPid}}
	s.lifecycleMu.Unlock()
	s.send(event{topic: "/tasks/start", container: c.id})
}

// processExits handles the exits in the order of the reaper; the kernel
// reports the execs of a container before its init.
func (s *service) processExits() {
	for e := range s.ec {
		s.lifecycleMu.Lock()
		for subscriber := range s.exitSubscribers {
			(*subscriber)[e.pid] = e
		}
		cp, ok := s.running[e.pid]
		delete(s.running, e.pid)
		if ok && cp.c.initPid == e.pid && s.pendingExecs[cp.c] > 0 {
			s.deferred[cp.c] = e
		} else if ok {
			s.handleExit(e, cp.c, cp.p)
		}
		s.lifecycleMu.Unlock()
	}
}

func (s *service) handleExit(e exit, c *container, p *process) {
	s.send(event{topic: "/tasks/exit", container: c.id, process: p.id, status: e.status})
}

func (s *service) send(evt event) {
	s.events <- evt
}
