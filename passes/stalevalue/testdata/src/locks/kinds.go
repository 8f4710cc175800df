package locks

import "sync"

// A Printer uses a channel with one slot as a lock.
type Printer struct {
	slot  chan struct{}
	pages int
	job   *rate
}

func NewPrinter() *Printer { return &Printer{slot: make(chan struct{}, 1)} }

func (p *Printer) Print(n int) {
	p.slot <- struct{}{}
	pages := p.pages
	<-p.slot
	pages = pages*2 + n
	p.slot <- struct{}{}
	p.pages = pages // want `lost-update: p\.pages was read at line \d+, but p\.slot was released at line \d+`
	<-p.slot
}

func (p *Printer) PrintAtOnce(n int) {
	p.slot <- struct{}{}
	defer func() { <-p.slot }()
	p.pages = p.pages*2 + n
}

func (p *Printer) Start(j *rate) bool {
	p.slot <- struct{}{}
	busy := p.job != nil
	<-p.slot
	if busy {
		return false
	}
	p.slot <- struct{}{}
	p.job = j // want `check-then-act: p\.job was checked at line \d+`
	<-p.slot
	return true
}

func (p *Printer) Finish() {
	p.slot <- struct{}{}
	p.job = nil
	<-p.slot
}

// A Turnstile starts with its token in the channel.
type Turnstile struct {
	token chan struct{}
	count int
}

func NewTurnstile() *Turnstile {
	t := &Turnstile{token: make(chan struct{}, 1)}
	t.token <- struct{}{}
	return t
}

func (t *Turnstile) Pass() {
	<-t.token
	c := t.count
	t.token <- struct{}{}
	<-t.token
	t.count = c * 3 // want `lost-update: t\.count was read at line \d+`
	t.token <- struct{}{}
}

func (t *Turnstile) PassAtOnce() {
	<-t.token
	t.count *= 3
	t.token <- struct{}{}
}

// A Backup is made by one goroutine at a time: the others give up.
type Backup struct {
	job  sync.Mutex
	mu   sync.Mutex
	rev  int
	size int
}

// Run is alone in writing rev, and so is all that job guards.
func (b *Backup) Run(write func(int) error) error {
	if !b.job.TryLock() {
		return nil
	}
	defer b.job.Unlock()
	b.mu.Lock()
	rev := b.rev
	b.mu.Unlock()
	if err := write(rev); err != nil {
		return err
	}
	b.mu.Lock()
	b.rev = rev*2 + 1
	b.mu.Unlock()
	return nil
}

func (b *Backup) Rev() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.rev
}

// Try takes the inner lock itself by TryLock.
func (b *Backup) Try() {
	if b.mu.TryLock() {
		size := b.size
		b.mu.Unlock()
		if b.mu.TryLock() {
			b.size = size / 2 // want `lost-update: b\.size was read at line \d+`
			b.mu.Unlock()
		}
	}
}
