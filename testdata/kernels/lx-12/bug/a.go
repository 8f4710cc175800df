package bug

import (
	"errors"
	"sync"
)

type Service struct {
	Name   string
	Port   int
	Checks []string
}

type AllocInfo struct {
	AllocID string
	Group   string
}

type WorkloadServices struct {
	AllocInfo AllocInfo
	Services  []*Service
}

type Registration struct {
	ID   string
	Port int
}

// Registrar stands for the servers; every call is one RPC.
type Registrar struct {
	mu   sync.Mutex
	regs map[string]*Registration
}

func (r *Registrar) Upsert(regs []*Registration) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, reg := range regs {
		r.regs[reg.ID] = reg
	}
	return nil
}

func (r *Registrar) DeleteByID(id string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.regs[id]; !ok {
		return errors.New("service registration not found")
	}
	delete(r.regs, id)
	return nil
}

type CheckWatcher struct {
	mu      sync.Mutex
	watched map[string]string
}

func (w *CheckWatcher) Watch(id, service string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watched[id] = service
}

func (w *CheckWatcher) Unwatch(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.watched, id)
}

// ServiceRegistrationHandler is the registration of the nomad service provider.
type ServiceRegistrationHandler struct {
	rpc          *Registrar
	checkWatcher *CheckWatcher
}

func NewHandler() *ServiceRegistrationHandler {
	return &ServiceRegistrationHandler{
		rpc:          &Registrar{regs: make(map[string]*Registration)},
		checkWatcher: &CheckWatcher{watched: make(map[string]string)},
	}
}

func makeID(w *WorkloadServices, s *Service) string {
	return "_nomad-task-" + w.AllocInfo.AllocID + "-" + w.AllocInfo.Group + "-" + s.Name
}

func (s *ServiceRegistrationHandler) RegisterWorkload(workload *WorkloadServices) error {
	var regs []*Registration
	for _, spec := range workload.Services {
		regs = append(regs, &Registration{ID: makeID(workload, spec), Port: spec.Port})
		for _, check := range spec.Checks {
			s.checkWatcher.Watch(check, spec.Name)
		}
	}
	return s.rpc.Upsert(regs)
}

// RemoveWorkload iterates the services and removes them from the service
// registration state.
func (s *ServiceRegistrationHandler) RemoveWorkload(workload *WorkloadServices) {
	for _, spec := range workload.Services {
		go s.removeWorkload(workload, spec)
	}
}

func (s *ServiceRegistrationHandler) removeWorkload(workload *WorkloadServices, spec *Service) {
	// Stop check watcher
	for _, check := range spec.Checks {
		s.checkWatcher.Unwatch(check)
	}
	_ = s.rpc.DeleteByID(makeID(workload, spec))
}

type groupServiceHook struct {
	mu           sync.Mutex
	deregistered bool
	services     *WorkloadServices
	provider     *ServiceRegistrationHandler
}

func (h *groupServiceHook) Prerun() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.deregistered = false
	return h.provider.RegisterWorkload(h.services)
}

// PreTaskRestart takes the services out and puts them back in.
func (h *groupServiceHook) PreTaskRestart() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.deregister()
	h.deregistered = false
	return h.provider.RegisterWorkload(h.services)
}

func (h *groupServiceHook) Postrun() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.deregistered {
		h.deregister()
	}
	return nil
}

// Lock should be held.
func (h *groupServiceHook) deregister() {
	h.provider.RemoveWorkload(h.services)
	h.deregistered = true
}
