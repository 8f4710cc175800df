package a

import "sync"

type Exit struct {
	Pid    int
	Status int
}

type Process interface {
	ID() string
	Start() (pid int, err error)
	SetExited(status int)
}

type service struct {
	ec     chan Exit
	events chan string

	lifecycleMu sync.Mutex
	running     map[int]Process // pid -> running process, guarded by lifecycleMu
	// Subscriptions to exits for PIDs. Adding/deleting subscriptions and
	// dereferencing the subscription pointers must only be done while holding
	// lifecycleMu.
	exitSubscribers map[*map[int]Exit]struct{}
}

// preStart prepares for starting a container process and handling its exit.
//
// The returned handleStarted closure records that the process has started so
// that its exit can be handled efficiently. If the process has already exited,
// it handles the exit immediately. handleStarted should be called after the
// event announcing the start of the process has been published.
func (s *service) preStart() (handleStarted func(p Process, pid int)) {
	exits := make(map[int]Exit)

	s.lifecycleMu.Lock()
	defer s.lifecycleMu.Unlock()
	s.exitSubscribers[&exits] = struct{}{}

	return func(p Process, pid int) {
		s.lifecycleMu.Lock()
		e, exited := exits[pid]
		delete(s.exitSubscribers, &exits)
		if pid == 0 { // no-op
			s.lifecycleMu.Unlock()
		} else if exited {
			s.lifecycleMu.Unlock()
			s.handleProcessExit(e, p)
		} else {
			s.running[pid] = p
			s.lifecycleMu.Unlock()
		}
	}
}

// Start a process
func (s *service) Start(p Process) (int, error) {
	handleStarted := s.preStart()
	pid, err := p.Start()
	if err != nil {
		handleStarted(p, 0)
		return 0, err
	}
	s.events <- "start " + p.ID()
	handleStarted(p, pid)
	return pid, nil
}

func (s *service) processExits() {
	for e := range s.ec {
		// While unlikely, it is not impossible for a container process to exit
		// and have its PID be recycled for a new container process before we
		// have a chance to process the first exit.
		s.lifecycleMu.Lock()
		for subscriber := range s.exitSubscribers {
			(*subscriber)[e.Pid] = e
		}
		p, ok := s.running[e.Pid]
		delete(s.running, e.Pid)
		s.lifecycleMu.Unlock()

		if ok {
			s.handleProcessExit(e, p)
		}
	}
}

func (s *service) handleProcessExit(e Exit, p Process) {
	p.SetExited(e.Status)
	s.events <- "exit " + p.ID()
}
