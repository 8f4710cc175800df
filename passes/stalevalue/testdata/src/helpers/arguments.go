package helpers

import "sync"

// A Mempool has the transfers that wait, by their numbers.
type Mempool struct {
	mu      sync.Mutex
	next    map[string]int
	waiting map[string]*transfer
}

type transfer struct {
	from string
	seq  int
	sig  string
}

func (p *Mempool) nextSeq(from string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.next[from]
}

func (p *Mempool) add(t *transfer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting[t.from] = t
	p.next[t.from] = t.seq + 1
}

// Arguments are filled in by one helper and read by another one.
type Arguments struct {
	From string
	Seq  int
}

// A Sender sends transfers that are signed outside of any lock.
type Sender struct {
	pool *Mempool
	sign func(from string, seq int) string

	sending sync.Mutex
}

func (s *Sender) fillIn(args *Arguments) {
	if args.Seq == 0 {
		args.Seq = s.pool.nextSeq(args.From)
	}
}

func (s *Sender) signed(args *Arguments) *transfer {
	return &transfer{args.From, args.Seq, s.sign(args.From, args.Seq)}
}

// Send may use a number that another one has used meanwhile.
func (s *Sender) Send(args Arguments) {
	s.fillIn(&args)
	s.pool.add(s.signed(&args)) // want `lost-update: s\.pool\.next\[args\.From\] was read at line \d+`
}

// A Notary does the same, one at a time.
type Notary struct {
	log  *Log
	sign func(n int) string

	sealing sync.Mutex
}

// A Log is only written by notaries.
type Log struct {
	mu   sync.Mutex
	last int
	seal string
}

func (l *Log) next() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last + 1
}

func (l *Log) set(n int, seal string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last, l.seal = n, seal
}

type entry struct{ n int }

func (n *Notary) number(e *entry) { e.n = n.log.next() }

func (n *Notary) Seal() {
	n.sealing.Lock()
	defer n.sealing.Unlock()
	var e entry
	n.number(&e)
	n.log.set(e.n, n.sign(e.n))
}
