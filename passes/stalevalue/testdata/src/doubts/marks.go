package doubts

import "sync"

// Tasks notes what becomes of goroutines that it has started.
type Tasks struct {
	mu    sync.Mutex
	tasks map[string]*taskState
}

type taskState struct{ state int }

func (t *Tasks) Add(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tasks[id] = new(taskState)
}

func (t *Tasks) mark(id string, state int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if task, ok := t.tasks[id]; ok {
		task.state = state
	}
}

// Submit notes by way of others that the task runs: they decide by what they know.
func (t *Tasks) Submit(id string, work func()) {
	go func() {
		work()
		t.mark(id, 2)
	}()
	t.far(id, 1) // want `lost-update: t.tasks\[.*\].state is written here, after the goroutine was started`
}

func (t *Tasks) far(id string, state int) {
	if id != "" {
		t.farther(id, state)
	}
}

func (t *Tasks) farther(id string, state int) {
	if id != "-" {
		t.farthest(id, state)
	}
}

func (t *Tasks) farthest(id string, state int) {
	if id != "+" {
		t.noted(id, state)
	}
}

func (t *Tasks) noted(id string, state int) {
	if state != 0 {
		t.mark(id, state)
	}
}
