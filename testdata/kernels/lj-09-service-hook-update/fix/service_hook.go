package taskrunner

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// DriverNetwork is the network that the driver created for the task.
type DriverNetwork struct {
	IP      string
	PortMap map[string]int
}

// ScriptExecutor runs a command in the context of the task.
type ScriptExecutor interface {
	Exec(timeout time.Duration, cmd string, args []string) ([]byte, int, error)
}

type Service struct {
	Name      string
	PortLabel string
}

type Task struct {
	Name          string
	Services      []*Service
	ShutdownDelay time.Duration
}

type Allocation struct {
	ID     string
	Canary bool
	Tasks  []*Task
}

func (a *Allocation) LookupTask(name string) *Task {
	for _, t := range a.Tasks {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// WorkloadServices describes services defined in either a Task or TaskGroup
// that need to be syncronized with Consul.
type WorkloadServices struct {
	AllocID       string
	Task          string
	Canary        bool
	Services      []*Service
	DriverExec    ScriptExecutor
	DriverNetwork *DriverNetwork
}

// ConsulServiceAPI is the interface the Nomad Client uses to register and
// remove services and checks from Consul.
type ConsulServiceAPI interface {
	RegisterWorkload(*WorkloadServices) error
	UpdateWorkload(old, newTask *WorkloadServices) error
	RemoveWorkload(*WorkloadServices)
}

type TaskPoststartRequest struct {
	DriverExec    ScriptExecutor
	DriverNetwork *DriverNetwork
	TaskEnv       map[string]string
}

type TaskUpdateRequest struct {
	Alloc   *Allocation
	TaskEnv map[string]string
}

type serviceHook struct {
	consul   ConsulServiceAPI
	allocID  string
	taskName string

	// The following fields may be updated
	delay      time.Duration
	driverExec ScriptExecutor
	driverNet  *DriverNetwork
	canary     bool
	services   []*Service
	taskEnv    map[string]string

	// initialRegistrations tracks if Poststart has completed, initializing
	// fields required in other lifecycle funcs
	initialRegistration bool

	// Since Update() may be called concurrently with any other hook all
	// hook methods must be fully serialized
	mu sync.Mutex
}

func newServiceHook(consul ConsulServiceAPI, alloc *Allocation, task *Task) *serviceHook {
	return &serviceHook{
		consul:   consul,
		allocID:  alloc.ID,
		taskName: task.Name,
		services: task.Services,
		delay:    task.ShutdownDelay,
		canary:   alloc.Canary,
	}
}

func (h *serviceHook) Name() string {
	return "consul_services"
}

func (h *serviceHook) Poststart(ctx context.Context, req *TaskPoststartRequest) error {
	h.mu.Lock()
	defer h.mu.Unlock()

	// Store the TaskEnv for interpolating now and when Updating
	h.driverExec = req.DriverExec
	h.driverNet = req.DriverNetwork
	h.taskEnv = req.TaskEnv

	// Create task services struct with request's driver metadata
	workloadServices := h.getWorkloadServices()

	defer func() { h.initialRegistration = true }()
	return h.consul.RegisterWorkload(workloadServices)
}

func (h *serviceHook) Update(ctx context.Context, req *TaskUpdateRequest) error {
	h.mu.Lock()
	defer h.mu.Unlock()

	if !h.initialRegistration {
		// no op since initial registration has not finished, only update hook
		// fields.
		return h.updateHookFields(req)
	}

	// Create old task services struct with request's driver metadata as it
	// can't change due to Updates
	oldWorkloadServices := h.getWorkloadServices()

	// Store new updated values out of request
	if err := h.updateHookFields(req); err != nil {
		return err
	}

	// Create new task services struct with those new values
	newWorkloadServices := h.getWorkloadServices()

	return h.consul.UpdateWorkload(oldWorkloadServices, newWorkloadServices)
}

func (h *serviceHook) updateHookFields(req *TaskUpdateRequest) error {
	task := req.Alloc.LookupTask(h.taskName)
	if task == nil {
		return fmt.Errorf("task %q not found in updated alloc", h.taskName)
	}

	// Update service hook fields
	h.delay = task.ShutdownDelay
	h.taskEnv = req.TaskEnv
	h.services = task.Services
	h.canary = req.Alloc.Canary
	return nil
}

func (h *serviceHook) PreKilling(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()

	// Deregister before killing task
	h.deregister()

	// If there's no shutdown delay, exit early
	if h.delay == 0 {
		return nil
	}

	select {
	case <-ctx.Done():
	case <-time.After(h.delay):
	}
	return nil
}

func (h *serviceHook) Exited(context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.deregister()
	return nil
}

// deregister services from Consul.
func (h *serviceHook) deregister() {
	workloadServices := h.getWorkloadServices()
	h.consul.RemoveWorkload(workloadServices)

	// Canary flag may be getting flipped when the alloc is being
	// destroyed, so remove both variations of the service
	workloadServices.Canary = !workloadServices.Canary
	h.consul.RemoveWorkload(workloadServices)
}

func (h *serviceHook) getWorkloadServices() *WorkloadServices {
	// Interpolate with the task's environment
	interpolatedServices := interpolateServices(h.taskEnv, h.services)

	// Create task services struct with request's driver metadata
	return &WorkloadServices{
		AllocID:       h.allocID,
		Task:          h.taskName,
		Services:      interpolatedServices,
		DriverExec:    h.driverExec,
		DriverNetwork: h.driverNet,
		Canary:        h.canary,
	}
}

func interpolateServices(env map[string]string, services []*Service) []*Service {
	out := make([]*Service, 0, len(services))
	for _, s := range services {
		c := *s
		if v, ok := env[s.Name]; ok {
			c.Name = v
		}
		out = append(out, &c)
	}
	return out
}
