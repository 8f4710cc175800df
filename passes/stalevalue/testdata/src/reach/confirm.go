package reach

import "sync"

// A lock of the caller that a callee may give up and take again.

type journal struct {
	mu   sync.Mutex
	left int
	segs []int
}

func (j *journal) Append(work func(int)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.append(work)
}

func (j *journal) Refill(n int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.left = n
}

func (j *journal) append(work func(int)) {
	left := j.left
	j.scan(work)
	j.left = left - 1 // want `lost-update: j\.left was read`
}

func (j *journal) AppendFresh(work func(int)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.appendFresh(work)
}

func (j *journal) appendFresh(work func(int)) {
	j.scan(work)
	j.left = j.left - 1
}

// scan is called with the lock.
func (j *journal) scan(work func(int)) {
	for _, s := range j.segs {
		if s > 0 {
			j.mu.Unlock()
			work(s)
			j.mu.Lock()
		}
	}
}
