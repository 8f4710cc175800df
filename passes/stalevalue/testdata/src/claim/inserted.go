package claim

import "sync"

// Volumes has at most one operation for each name at a time: who inserts the name into busy may go on.
type Volumes struct {
	busy sync.Map
	mu   sync.Mutex
	size map[string]int
}

func (v *Volumes) sizeOf(name string) int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.size[name]
}

func (v *Volumes) setSize(name string, n int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.size[name] = n
}

// Grow gives up if the name is busy.
func (v *Volumes) Grow(name string) bool {
	if _, busy := v.busy.LoadOrStore(name, true); busy {
		return false
	}
	defer v.busy.Delete(name)
	n := v.sizeOf(name)
	v.setSize(name, n+1)
	return true
}

// serialize waits until the name is not busy.
func (v *Volumes) serialize(name string, op func()) {
	done := make(chan struct{})
	for {
		other, busy := v.busy.LoadOrStore(name, done)
		if !busy {
			break
		}
		<-other.(chan struct{})
	}
	defer close(done)
	defer v.busy.Delete(name)
	op()
}

// Double does its work as an operation.
func (v *Volumes) Double(name string) {
	v.serialize(name, func() { v.double(name) })
}

func (v *Volumes) double(name string) {
	n := v.sizeOf(name)
	v.setSize(name, 2*n)
}

// Shelves are like Volumes, and one of the operations does not know of the others.
type Shelves struct {
	busy sync.Map
	mu   sync.Mutex
	size map[string]int
}

func (s *Shelves) sizeOf(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size[name]
}

func (s *Shelves) setSize(name string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.size[name] = n
}

func (s *Shelves) Grow(name string) bool {
	if _, busy := s.busy.LoadOrStore(name, true); busy {
		return false
	}
	defer s.busy.Delete(name)
	n := s.sizeOf(name)
	s.setSize(name, n+1) // want `lost-update: s.size\[name\] was read at line`
	return true
}

// GrowBusy goes on if the name is busy, and gives up if it is not.
func (s *Shelves) GrowBusy(name string) bool {
	if _, busy := s.busy.LoadOrStore(name, true); !busy {
		s.busy.Delete(name)
		return false
	}
	n := s.sizeOf(name)
	s.setSize(name, n+1) // want `lost-update: s.size\[name\] was read at line`
	return true
}

func (s *Shelves) Clear(name string) {
	s.setSize(name, 0)
}

// A Bank claims requests, and changes accounts.
type Bank struct {
	busy     sync.Map
	mu       sync.Mutex
	balances map[string]int
}

func (b *Bank) balance(account string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.balances[account]
}

func (b *Bank) setBalance(account string, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.balances[account] = n
}

// Withdraw keeps out the same request, and not another one for the same account.
func (b *Bank) Withdraw(request, account string, n int) bool {
	if _, again := b.busy.LoadOrStore(request, true); again {
		return false
	}
	defer b.busy.Delete(request)
	now := b.balance(account)
	b.setBalance(account, now-n) // want `lost-update: b.balances\[account\] was read at line`
	return true
}
