package probe

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// P2: whole struct assigned.
type Data struct{ x, y int }
type P2 struct {
	mu sync.Mutex
	d  struct {
		x int //atomvet:set p2
		y int //atomvet:set p2
	}
	e int
}

func (p *P2) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.d = struct{ x, y int }{}
}

func (p *P2) WantApart() int {
	p.mu.Lock()
	x := p.d.x
	p.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	return x + p.d.y
}

// P2b: whole object assigned.
type P2b struct {
	x int //atomvet:set p2b
	y int //atomvet:set p2b
}

var mu2b sync.Mutex

func (p *P2b) Reset(q P2b) {
	mu2b.Lock()
	defer mu2b.Unlock()
	*p = q
}

func (p *P2b) WantApart() int {
	mu2b.Lock()
	x := p.x
	mu2b.Unlock()
	mu2b.Lock()
	defer mu2b.Unlock()
	return x + p.y
}

func (p *P2b) WantCopies() (int, int) {
	mu2b.Lock()
	a := *p
	mu2b.Unlock()
	mu2b.Lock()
	defer mu2b.Unlock()
	b := *p
	return a.x, b.y
}

// P3: pointer to the field.
type P3 struct {
	mu sync.Mutex
	x  int //atomvet:set p3
}

func (p *P3) WantInc() {
	q := &p.x
	p.mu.Lock()
	n := *q
	p.mu.Unlock()
	p.mu.Lock()
	*q = n + 1
	p.mu.Unlock()
}

func inc(q *int) { *q++ }

func (p *P3) WantIncByCall() {
	p.mu.Lock()
	n := p.x
	p.mu.Unlock()
	if n > 0 {
		p.mu.Lock()
		inc(&p.x)
		p.mu.Unlock()
	}
}

// P4: container ops.
type P4 struct {
	mu sync.Mutex
	s  []int //atomvet:set p4
}

func (p *P4) WantLen() int {
	p.mu.Lock()
	n := len(p.s)
	p.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.s[n-1]
}

func (p *P4) Add(x int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.s = append(p.s, x)
}

type P4b struct {
	mu sync.Mutex
	s  []int //atomvet:set p4b
}

func (p *P4b) Sort() {
	p.mu.Lock()
	defer p.mu.Unlock()
	slices.Sort(p.s)
}

func (p *P4b) WantTwo() bool {
	p.mu.Lock()
	x := p.s[0]
	p.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	return x < p.s[1]
}

type P4c struct {
	mu  sync.Mutex
	buf bytes.Buffer //atomvet:set p4c
}

func (p *P4c) Write() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.buf.WriteString("x")
}

func (p *P4c) WantTruncate() {
	p.mu.Lock()
	n := p.buf.Len()
	p.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.buf.Truncate(n - 1)
}

type P4d struct {
	mu sync.Mutex
	b  *strings.Builder //atomvet:set p4d
}

func (p *P4d) Write() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.b.WriteString("x")
}

func (p *P4d) WantTwo() bool {
	p.mu.Lock()
	n := p.b.Len()
	p.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	return n == p.b.Len()
}

// P34: own type with methods as a member.
type counter struct{ n int }

func (c *counter) inc()     { c.n++ }
func (c *counter) get() int { return c.n }

type P34 struct {
	mu sync.Mutex
	c  counter //atomvet:set p34
	k  int     //atomvet:set p34
}

func (p *P34) WantInc() {
	p.mu.Lock()
	n := p.c.get()
	p.k++
	p.mu.Unlock()
	if n > 0 {
		p.mu.Lock()
		p.c.inc()
		p.mu.Unlock()
	}
}

// P7: interface, two implementations.
type account interface{ inc() }
type good struct {
	mu sync.Mutex
	n  int //atomvet:set good
}
type bad struct {
	mu sync.Mutex
	n  int //atomvet:set bad
}

func (g *good) inc() { g.mu.Lock(); g.n++; g.mu.Unlock() }
func (b *bad) inc() {
	b.mu.Lock()
	n := b.n
	b.mu.Unlock()
	b.mu.Lock()
	b.n = n + 1
	b.mu.Unlock()
}

//atomvet:unitfor a
func WantIncAll(a account) { a.inc() }

// P9: AfterFunc.
type P9 struct {
	mu   sync.Mutex
	x, y int //atomvet:set p9
}

//atomvet:unit
func (p *P9) set() {
	p.mu.Lock()
	p.x = 1
	p.y = 1
	p.mu.Unlock()
}

func (p *P9) Start() {
	time.AfterFunc(time.Second, p.set)
}

func (p *P9) WantApart() int {
	p.mu.Lock()
	x := p.x
	p.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	return x + p.y
}

// P12: shards.
type P12 struct {
	mu [8]sync.Mutex
	n  [8]int //atomvet:set p12
}

func (p *P12) Inc(i int) {
	p.mu[i].Lock()
	p.n[i]++
	p.mu[i].Unlock()
}

func (p *P12) WantInc(i int) {
	p.mu[i].Lock()
	n := p.n[i]
	p.mu[i].Unlock()
	p.mu[i].Lock()
	p.n[i] = n + 1
	p.mu[i].Unlock()
}

// P13: Locker.
type P13 struct {
	l    sync.Locker
	x, y int //atomvet:set p13
}

func (p *P13) Set() {
	p.l.Lock()
	defer p.l.Unlock()
	p.x = 1
	p.y = 1
}

func (p *P13) Get() int {
	p.l.Lock()
	defer p.l.Unlock()
	return p.x + p.y
}

// P14: lock from function.
type P14 struct {
	mus  [8]sync.Mutex
	mu   sync.Mutex
	x, y int //atomvet:set p14
}

func (p *P14) lockOf() *sync.Mutex { return &p.mu }

func (p *P14) Set() {
	mu := p.lockOf()
	mu.Lock()
	defer mu.Unlock()
	p.x = 1
	p.y = 1
}

func (p *P14) Get() int {
	p.lockOf().Lock()
	defer p.lockOf().Unlock()
	return p.x + p.y
}

// P17: two owners.
type sess struct{ x, y int /*n*/ } //
type sess17 struct {
	x, y int //atomvet:set sess17
}
type A17 struct {
	mu sync.Mutex
	s  *sess17
}
type B17 struct {
	mu sync.Mutex
	s  *sess17
}

//atomvet:unit
func (a *A17) Set() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.s.x = 1
	a.s.y = 1
}

//atomvet:unit
func (b *B17) WantGet() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.s.x + b.s.y
}

// P22: value receiver.
type P22 struct {
	x, y int //atomvet:set p22
}

var mu22 sync.Mutex

func (p *P22) Set() {
	mu22.Lock()
	defer mu22.Unlock()
	p.x = 1
	p.y = 1
}
func (p P22) Sum() int { return p.x + p.y }
func (p *P22) Locked() int {
	mu22.Lock()
	defer mu22.Unlock()
	return p.Sum()
}
func (p *P22) WantUnlocked() int { return p.Sum() }
func (p *P22) Snapshot() int {
	mu22.Lock()
	q := *p
	mu22.Unlock()
	return q.x + q.y
}

// P23: promoted methods.
type In23 struct {
	mu sync.Mutex
	n  int //atomvet:set n23
}

func (i *In23) Get() int  { i.mu.Lock(); defer i.mu.Unlock(); return i.n }
func (i *In23) Set(n int) { i.mu.Lock(); defer i.mu.Unlock(); i.n = n }

type Out23 struct {
	In23
	m int //atomvet:set n23
}

func (o *Out23) WantInc() { o.Set(o.Get() + 1) }

type Free23 struct{ In23 }

func (o *Free23) Inc() { o.Set(o.Get() + 1) }

//atomvet:unit
func (o *Free23) WantIncUnit() { o.Set(o.Get() + 1) }

// P29: goroutine inside a unit.
type P29 struct {
	mu   sync.Mutex
	x, y int //atomvet:set p29
}

func (p *P29) Read() int {
	p.mu.Lock()
	x := p.x
	p.mu.Unlock()
	go func() {
		p.mu.Lock()
		_ = p.y
		p.mu.Unlock()
	}()
	return x
}

func (p *P29) Set() {
	p.mu.Lock()
	p.x = 1
	p.y = 1
	p.mu.Unlock()
}

// P35.
type conf struct{ a, b int }
type P35 struct {
	p atomic.Pointer[conf] //atomvet:set p35
}

func (p *P35) Set(a, b int) { p.p.Store(&conf{a, b}) }
func (p *P35) WantBoth() int { return p.p.Load().a + p.p.Load().b }
func (p *P35) Once() int { c := p.p.Load(); return c.a + c.b }

type P35b struct {
	m sync.Map //atomvet:set p35b
}

func (p *P35b) Delete(k string) { p.m.Delete(k) }
func (p *P35b) WantGet(k string) any {
	if v, ok := p.m.Load(k); ok {
		return v
	}
	p.m.Store(k, 1)
	return 1
}
func (p *P35b) Fine(k string) any {
	v, _ := p.m.LoadOrStore(k, 1)
	return v
}

// P37: loops over a map with a lock per round.
type P37 struct {
	mu sync.Mutex
	m  map[string]int //atomvet:set p37
}

func (p *P37) Put(k string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.m[k]++
}
func (p *P37) WantKeys() (n int) {
	p.mu.Lock()
	keys := make([]string, 0)
	for k := range p.m {
		keys = append(keys, k)
	}
	p.mu.Unlock()
	for _, k := range keys {
		p.mu.Lock()
		n += p.m[k]
		p.mu.Unlock()
	}
	return n
}

// P38: panics and recover.
type P38 struct {
	mu   sync.Mutex
	x, y int //atomvet:set p38
}

func (p *P38) Set() {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer func() { recover() }()
	p.x = 1
	if p.x == 2 {
		panic("no")
	}
	p.y = 1
}
func (p *P38) WantGet() int {
	p.mu.Lock()
	x := p.x
	p.mu.Unlock()
	if x == 0 {
		panic("zero")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.y
}
func (p *P38) Dies() int {
	p.mu.Lock()
	x := p.x
	p.mu.Unlock()
	if x == 0 {
		p.mu.Lock()
		defer p.mu.Unlock()
		panic(p.y)
	}
	return 0
}

// P39 double check.
type P39 struct {
	mu sync.RWMutex
	m  map[string]int //atomvet:set p39
}

func (p *P39) Get(k string) int {
	p.mu.RLock()
	v, ok := p.m[k]
	p.mu.RUnlock()
	if ok {
		return v
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if v, ok := p.m[k]; ok {
		return v
	}
	p.m[k] = 1
	return 1
}

// P40 goto retry with version.
type P40 struct {
	mu  sync.Mutex
	v   int //atomvet:set p40
	val int //atomvet:set p40
}

func (p *P40) Update(f func(int) int) {
	for {
		p.mu.Lock()
		v, x := p.v, p.val
		p.mu.Unlock()
		x = f(x)
		p.mu.Lock()
		if p.v == v {
			p.val = x
			p.v++
			p.mu.Unlock()
			return
		}
		p.mu.Unlock()
	}
}

// P41 split but only one in loop; unit through a map of objects.
type reg41 struct {
	mu sync.Mutex
	m  map[string]*obj41
}
type obj41 struct {
	mu   sync.Mutex
	x, y int //atomvet:set obj41
}

//atomvet:unit
func (r *reg41) Set(k string) {
	r.mu.Lock()
	o := r.m[k]
	r.mu.Unlock()
	o.mu.Lock()
	o.x = 1
	o.y = 1
	o.mu.Unlock()
}

//atomvet:unit
func (r *reg41) WantGet(k string) int {
	r.mu.Lock()
	o := r.m[k]
	r.mu.Unlock()
	o.mu.Lock()
	x := o.x
	o.mu.Unlock()
	o.mu.Lock()
	defer o.mu.Unlock()
	return x + o.y
}

//atomvet:unit
func (r *reg41) GetTwice(k string) int {
	r.mu.Lock()
	o := r.m[k]
	r.mu.Unlock()
	o.mu.Lock()
	x := o.x
	o.mu.Unlock()
	r.mu.Lock()
	o = r.m[k]
	r.mu.Unlock()
	o.mu.Lock()
	defer o.mu.Unlock()
	return x + o.y
}
//atomvet:unit
func (r *reg41) WantAll() (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, o := range r.m {
		o.mu.Lock()
		x := o.x
		o.mu.Unlock()
		o.mu.Lock()
		n += x+o.y
		o.mu.Unlock()
	}
	return n
}

// P42 list of nodes with typed members.
type node42 struct {
	next *node42 //atomvet:set l42
	v int
}
type L42 struct {
	mu sync.Mutex
	head *node42 //atomvet:set l42
}
func (l *L42) WantInsertAfter(x int) {
	l.mu.Lock()
	n := l.head
	for n.next != nil {
		n = n.next
	}
	l.mu.Unlock()
	l.mu.Lock()
	n.next = &node42{v: x}
	l.mu.Unlock()
}
func (l *L42) Fine(x int) {
	l.mu.Lock()
	n := l.head
	for n.next != nil {
		n = n.next
	}
	n.next = &node42{v: x}
	l.mu.Unlock()
}

// P43: select on gate
type P43 struct {
	gate chan struct{}
	x, y int //atomvet:set p43
}
func New43() *P43 { return &P43{gate: make(chan struct{}, 1)} }
func (p *P43) Set() {
	p.gate <- struct{}{}
	defer func() { <-p.gate }()
	p.x = 1
	p.y = 1
}
func (p *P43) TryGet() int {
	select {
	case p.gate <- struct{}{}:
		defer func() { <-p.gate }()
		return p.x + p.y
	default:
		return 0
	}
}
// P44: unlock helper in loop; goto.
type P44 struct {
	mu sync.Mutex
	x, y int //atomvet:set p44
}
func (p *P44) Set() {
	p.mu.Lock()
	p.x = 1
	p.y = 1
	p.mu.Unlock()
}
func (p *P44) Get() int {
again:
	p.mu.Lock()
	x := p.x
	if x == 0 {
		p.mu.Unlock()
		goto again
	}
	y := p.y
	p.mu.Unlock()
	return x + y
}
func (p *P44) Fine() (n int) {
	for i := 0; i < 3; i++ {
		func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			n = p.x + p.y
		}()
	}
	return n
}
