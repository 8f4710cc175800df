package a

import (
	"context"
	"sync"
	"time"
)

type State string

const (
	Waiting State = "waiting"
	Active  State = "active"
	Done    State = "done"
	Failed  State = "failed"
)

type Info struct {
	ID       string
	State    State
	Attempts int
	Err      string
}

type job struct {
	mu   sync.Mutex
	info Info
}

func (j *job) Info() Info {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.info
}

func (j *job) set(i Info) {
	j.mu.Lock()
	j.info = i
	j.mu.Unlock()
}

// Farm passes every job through the channel, so one worker has it at a time.
type Farm struct {
	queue  chan *job
	encode func(ctx context.Context, id string) error
	tries  int

	mu  sync.RWMutex
	all map[string]*job
}

func NewFarm(encode func(context.Context, string) error, depth, tries int) *Farm {
	return &Farm{queue: make(chan *job, depth), encode: encode, tries: tries, all: map[string]*job{}}
}

// Submit adds a job; false if it is known already.
func (f *Farm) Submit(ctx context.Context, id string) (bool, error) {
	j := &job{info: Info{ID: id, State: Waiting}}
	f.mu.Lock()
	if _, dup := f.all[id]; dup {
		f.mu.Unlock()
		return false, nil
	}
	f.all[id] = j
	f.mu.Unlock()
	select {
	case f.queue <- j:
		return true, nil
	case <-ctx.Done():
		j.set(Info{ID: id, State: Failed, Err: ctx.Err().Error()})
		return false, ctx.Err()
	}
}

func (f *Farm) Status(id string) (Info, bool) {
	f.mu.RLock()
	j, ok := f.all[id]
	f.mu.RUnlock()
	if !ok {
		return Info{}, false
	}
	return j.Info(), true
}

func (f *Farm) Work(ctx context.Context, workers int) {
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for {
				select {
				case <-ctx.Done():
					return
				case j := <-f.queue:
					f.process(ctx, j)
				}
			}
		})
	}
	wg.Wait()
}

func (f *Farm) process(ctx context.Context, j *job) {
	info := j.Info()
	for info.Attempts < f.tries {
		info.Attempts++
		info.State = Active
		j.set(info)

		err := f.encode(ctx, info.ID)
		if err == nil {
			info.State, info.Err = Done, ""
			j.set(info)
			return
		}
		info.State, info.Err = Failed, err.Error()
		j.set(info)

		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Duration(info.Attempts) * time.Second):
		}
	}
}
