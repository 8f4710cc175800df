package docker

import (
	"context"
	"sync"
	"time"
)

// TaskResourceUsage is the resource usage of a task.
type TaskResourceUsage struct {
	RSS       uint64
	Cache     uint64
	Timestamp int64
}

// DockerStats is a sample that is delivered by the docker daemon.
type DockerStats struct {
	Read  time.Time
	RSS   uint64
	Cache uint64
}

// StatsOptions specify parameters to the Stats function.
type StatsOptions struct {
	ID      string
	Context context.Context
	Done    <-chan bool
	Stats   chan<- *DockerStats
	Stream  bool
}

// Client is the docker client. Stats sends container statistics for the given
// container to the given channel, and closes it from a goroutine of its own
// when the stream ends.
type Client interface {
	Stats(opts StatsOptions) error
	WaitContainer(id string) (int, error)
	KillContainer(id string) error
}

// ExitResult is the result of a task.
type ExitResult struct {
	ExitCode int
	Err      error
}

type taskHandle struct {
	client      Client
	containerID string
	waitCh      chan struct{}
	doneCh      chan bool

	exitResultLock sync.Mutex
	exitResult     *ExitResult
}

func newTaskHandle(client Client, id string) *taskHandle {
	h := &taskHandle{
		client:      client,
		containerID: id,
		waitCh:      make(chan struct{}),
		doneCh:      make(chan bool),
	}
	go h.run()
	return h
}

// ExitResult returns nil while the task runs.
func (h *taskHandle) ExitResult() *ExitResult {
	h.exitResultLock.Lock()
	defer h.exitResultLock.Unlock()
	return h.exitResult
}

func (h *taskHandle) Kill() error {
	if err := h.client.KillContainer(h.containerID); err != nil {
		return err
	}
	<-h.waitCh
	return nil
}

func (h *taskHandle) run() {
	code, err := h.client.WaitContainer(h.containerID)
	// Set the result
	h.exitResultLock.Lock()
	h.exitResult = &ExitResult{ExitCode: code, Err: err}
	h.exitResultLock.Unlock()
	close(h.doneCh)
	close(h.waitCh)
}
