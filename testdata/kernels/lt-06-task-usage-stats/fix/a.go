package client

import (
	"errors"
	"sync"
	"time"
)

var errStatsNotImplemented = errors.New("stats not implemented for driver")

type resourceUsage struct {
	cpuTicks uint64
	rss      uint64
}

type driverHandle interface {
	Stats() (*resourceUsage, error)
	Kill() error
	WaitCh() <-chan error
}

type driver interface {
	Start(task string) (driverHandle, error)
}

type taskRunner struct {
	task     string
	driver   driver
	interval time.Duration

	startCh   chan struct{}
	destroyCh chan struct{}
	waitCh    chan struct{}

	handleLock sync.Mutex
	handle     driverHandle

	usageLock sync.RWMutex
	usage     *resourceUsage
}

func newTaskRunner(task string, d driver, interval time.Duration) *taskRunner {
	return &taskRunner{
		task:      task,
		driver:    d,
		interval:  interval,
		startCh:   make(chan struct{}, 1),
		destroyCh: make(chan struct{}),
		waitCh:    make(chan struct{}),
	}
}

func (r *taskRunner) getHandle() driverHandle {
	r.handleLock.Lock()
	h := r.handle
	r.handleLock.Unlock()
	return h
}

func (r *taskRunner) setHandle(h driverHandle) {
	r.handleLock.Lock()
	r.handle = h
	r.handleLock.Unlock()
}

func (r *taskRunner) run(attempts int) {
	defer close(r.waitCh)
	stopCollection := make(chan struct{})
	defer close(stopCollection)
	go r.collectResourceUsageStats(stopCollection)

	for i := 0; i < attempts; i++ {
		select {
		case <-r.startCh:
		case <-r.destroyCh:
			return
		}
		h, err := r.driver.Start(r.task)
		if err != nil {
			continue
		}
		r.setHandle(h)
		select {
		case <-h.WaitCh():
		case <-r.destroyCh:
			r.killTask()
			r.setHandle(nil)
			return
		}
		// Clear the handle so a new driver will be created.
		r.setHandle(nil)
		select {
		case r.startCh <- struct{}{}:
		default:
		}
	}
}

func (r *taskRunner) killTask() {
	h := r.getHandle()
	if h == nil {
		return
	}
	_ = h.Kill()
}

func (r *taskRunner) collectResourceUsageStats(stop <-chan struct{}) {
	next := time.NewTimer(0)
	defer next.Stop()
	for {
		select {
		case <-next.C:
			next.Reset(r.interval)
			handle := r.getHandle()
			if handle == nil {
				continue
			}
			ru, err := handle.Stats()
			if err != nil {
				if errors.Is(err, errStatsNotImplemented) {
					return
				}
				continue
			}
			r.usageLock.Lock()
			r.usage = ru
			r.usageLock.Unlock()
		case <-stop:
			return
		}
	}
}

// LatestResourceUsage returns the last usage that was collected.
func (r *taskRunner) LatestResourceUsage() *resourceUsage {
	r.usageLock.RLock()
	defer r.usageLock.RUnlock()
	return r.usage
}
