package doubts

import (
	"sync"
	"testing"
)

// A LogStore is implemented by other packages, too.
type LogStore interface {
	Last() int
	Append(n int)
}

// A MemStore is a LogStore in memory, which no function here has.
type MemStore struct {
	mu      sync.Mutex
	entries []int
}

func NewMemStore() *MemStore { return new(MemStore) }

func (m *MemStore) Last() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.entries)
}

func (m *MemStore) Append(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.entries = append(m.entries, n)
}

// A TraceStore is a MemStore that tells what it does.
type TraceStore struct {
	*MemStore
	trace func(int)
}

func NewTraceStore(trace func(int)) *TraceStore { return &TraceStore{NewMemStore(), trace} }

// Open begins a log that has nothing yet: which one that is, and who else has it, the caller knows.
func Open(logs LogStore) {
	if logs.Last() == 0 {
		logs.Append(1) // want `check-then-act: .* \[medium confidence: which implementation this is, code outside the package chooses\]`
	}
}

// A Keeper has the store in a field, and shares it.
type Keeper struct{ logs LogStore }

func NewKeeper(logs LogStore) *Keeper { return &Keeper{logs} }

func (k *Keeper) Begin() {
	if k.logs.Last() == 0 {
		k.logs.Append(1) // want `check-then-act: k.logs.entries was checked at line 55, .* is exported\)$`
	}
}

// A DiskStore is what the package itself uses.
type DiskStore struct {
	mu    sync.Mutex
	pages []int
}

func (d *DiskStore) Top() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.pages)
}

func (d *DiskStore) Push(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pages = append(d.pages, n)
}

type pager interface {
	Top() int
	Push(n int)
}

var disk = new(DiskStore)

func Flush() { Prime(disk) }

func Prime(p pager) {
	if p.Top() == 0 {
		p.Push(1) // want `check-then-act: p.pages was checked at line 88, .* is exported\)$`
	}
}

// A Rig is made for tests, though not in a test file.
type Rig struct {
	t  *testing.T
	mu sync.Mutex
	n  int
}

func (r *Rig) get() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.n
}

func (r *Rig) set(n int) {
	r.mu.Lock()
	r.n = n
	r.mu.Unlock()
}

func (r *Rig) Grow() {
	r.set(r.get() + 1) // for the one test that has the rig
}

// An Outbox is a LogStore that the package shares by a variable.
type Outbox struct {
	mu    sync.Mutex
	sheet []int
}

type outlet interface {
	Sent() int
	Send(n int)
}

func (o *Outbox) Sent() int  { o.mu.Lock(); defer o.mu.Unlock(); return len(o.sheet) }
func (o *Outbox) Send(n int) { o.mu.Lock(); defer o.mu.Unlock(); o.sheet = append(o.sheet, n) }

var outbox Outbox

func Dispatch(o outlet) {
	if o.Sent() == 0 {
		o.Send(1) // want `check-then-act: o.sheet was checked .* is exported\)$`
	}
}

// An Inbox passes itself on.
type Inbox struct {
	mu    sync.Mutex
	slips []int
}

type inlet interface {
	Got() int
	Get(n int)
}

func (i *Inbox) Got() int  { i.mu.Lock(); defer i.mu.Unlock(); return len(i.slips) }
func (i *Inbox) Get(n int) { i.mu.Lock(); defer i.mu.Unlock(); i.slips = append(i.slips, n) }
func (i *Inbox) Init()     { Fetch(i) }

func Fetch(i inlet) {
	if i.Got() == 0 {
		i.Get(1) // want `check-then-act: i.slips was checked .* is exported\)$`
	}
}

// A Meter keeps the result of a benchmark, and is no test.
type Meter struct {
	mu   sync.Mutex
	n    int
	last testing.BenchmarkResult
}

func (m *Meter) get() int  { m.mu.Lock(); defer m.mu.Unlock(); return m.n }
func (m *Meter) set(n int) { m.mu.Lock(); defer m.mu.Unlock(); m.n = n }
func (m *Meter) Count()    { m.set(m.get() + 1) } // want `lost-update: m.n was read .*\)$`
