package containerd

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sync"
	"time"
)

type worker struct {
	id          int
	wg          *sync.WaitGroup
	count       int
	waitContext context.Context

	client *Client

	mu       sync.Mutex
	failures int
}

// Stress runs containers on a number of workers for the given time and returns
// how many were run and how many of them failed.
func Stress(ctx context.Context, client *Client, concurrency int, duration time.Duration) (total, failures int) {
	var wg sync.WaitGroup
	tctx, cancel := context.WithTimeout(ctx, duration)
	defer cancel()
	workers := make([]*worker, 0, concurrency)
	for i := 0; i < concurrency; i++ {
		wg.Add(1)
		w := &worker{id: i, wg: &wg, client: client}
		workers = append(workers, w)
		go w.run(ctx, tctx)
	}
	wg.Wait()
	for _, w := range workers {
		total += w.count
		w.mu.Lock()
		failures += w.failures
		w.mu.Unlock()
	}
	return total, failures
}

func (w *worker) run(ctx, tctx context.Context) {
	defer func() {
		w.wg.Done()
		log.Printf("worker %d finished", w.id)
	}()
	wctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w.waitContext = wctx
	for {
		select {
		case <-tctx.Done():
			return
		default:
		}

		w.count++
		id := w.getID()
		if err := w.runContainer(ctx, id); err != nil {
			if !errors.Is(err, context.DeadlineExceeded) {
				w.fail("running container %s: %v", id, err)
			}
		}
	}
}

func (w *worker) runContainer(ctx context.Context, id string) error {
	task, err := w.client.NewTask(ctx, id)
	if err != nil {
		return err
	}
	defer task.Delete(ctx)

	var (
		start  sync.WaitGroup
		status = make(chan uint32, 1)
	)
	start.Add(1)
	go func() {
		start.Done()
		s, err := task.Wait(w.waitContext)
		if err != nil {
			if err == context.DeadlineExceeded ||
				err == context.Canceled {
				close(status)
				return
			}
			w.fail("wait task %s: %v", id, err)
		}
		status <- s
	}()
	start.Wait()
	if err := task.Start(ctx); err != nil {
		return err
	}
	<-status
	return nil
}

func (w *worker) getID() string {
	return fmt.Sprintf("%d-%d", w.id, w.count)
}

func (w *worker) fail(format string, args ...interface{}) {
	w.mu.Lock()
	w.failures++
	w.mu.Unlock()
	log.Printf(format, args...)
}
