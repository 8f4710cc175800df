package papers

import "sync"

// Arbaro: an exporter asks how far the work is, and says how far it is.

type Progress struct {
	mu       sync.Mutex
	max, cur int
}

func (p *Progress) Percent() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return 100 * p.cur / p.max
}

func (p *Progress) Set(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cur = n
}

func (p *Progress) Inc(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cur += n
}

func (p *Progress) AtLeast(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cur < n {
		p.cur = n
	}
}

type Exporter struct {
	mu       sync.Mutex
	progress *Progress
	done     int
}

func (e *Exporter) Step(n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.done += n
	if e.progress.Percent() < e.done {
		e.progress.Set(e.done) // want `reacquire: e\.progress\.mu is taken again here, after line 48, in one critical section of e\.mu; what the first passage reads of e\.progress\.cur may be changed in between by \(\*Progress\)\.Set`
	}
}

func (e *Exporter) StepOnce(n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.done += n
	e.progress.AtLeast(e.done)
}

// TVSchedulerPro: the devices are counted while they may be taken out, and a
// default is set over what somebody else has set.

type Device struct{ Active bool }

type DeviceList struct {
	mu      sync.Mutex
	devices []Device
}

func (l *DeviceList) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.devices)
}

func (l *DeviceList) Get(i int) Device {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.devices[i]
}

func (l *DeviceList) Add(d Device) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.devices = append(l.devices, d)
}

func (l *DeviceList) Remove(i int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.devices = append(l.devices[:i], l.devices[i+1:]...)
}

func (l *DeviceList) All() []Device {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]Device(nil), l.devices...)
}

type Properties struct {
	mu     sync.Mutex
	values map[string]*string
}

func (p *Properties) Get(name string) *string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.values[name]
}

func (p *Properties) Set(name string, v *string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.values[name] = v
}

func (p *Properties) Default(name string, v *string) *string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if old := p.values[name]; old != nil {
		return old
	}
	p.values[name] = v
	return v
}

type Server struct {
	mu      sync.Mutex
	devices *DeviceList
	props   *Properties
	active  int
}

// The length is asked for before.
func (s *Server) AnyActive() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.devices.Len()
	for i := 0; i < n; i++ {
		if s.devices.Get(i).Active { // want `reacquire: s\.devices\.mu is taken again here, after line 138, in one critical section of s\.mu; what the first passage reads of s\.devices\.devices may be changed in between by \(\*DeviceList\)\.Add`
			return true
		}
	}
	return false
}

func (s *Server) CountActiveOnce() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, d := range s.devices.All() {
		if d.Active {
			n++
		}
	}
	s.active = n
	return n
}

func (s *Server) Defaults(port *string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.props.Get("port") == nil {
		s.props.Set("port", port) // want `reacquire: s\.props\.mu is taken again here, after line 163, in one critical section of s\.mu; what the first passage reads of s\.props\.values\["port"\] may be changed in between by \(\*Properties\)\.Set`
	}
}

func (s *Server) Path(path *string) *string {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.props.Get("path")
	if v == nil {
		v = path
		s.props.Set("path", v) // want `reacquire: s\.props\.mu is taken again here, after line 171, in one critical section of s\.mu; what the first passage reads of s\.props\.values\["path"\] may be changed in between by \(\*Properties\)\.Set`
	}
	return v
}

func (s *Server) DefaultsOnce(port *string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.props.Default("port", port)
}

// Another key.
func (s *Server) Rename(from, to string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.props.Get("locked") == nil {
		s.props.Set("name", &to)
	}
}

// TuxGuitar: the sequencer asks the player for its time in three steps.

type Player struct {
	mu      sync.Mutex
	running bool
	tempo   int
	tick    int
	length  int
}

func (p *Player) Process() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running {
		p.length = p.tempo * 960 / 60
		p.tick += p.length
	}
}

func (p *Player) Tick() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tick
}

func (p *Player) TickLength() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.length
}

func (p *Player) SetTick(tick int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tick, p.length = tick, 0
}

func (p *Player) SetTempo(tempo int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tempo = tempo
}

func (p *Player) Advance() (tick, length int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running {
		p.length = p.tempo * 960 / 60
		p.tick += p.length
	}
	return p.tick, p.length
}

type Sequencer struct {
	mu     sync.Mutex
	player *Player
	play   func(from, to int)
}

func (s *Sequencer) Process() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.player.Process()
	tick := s.player.Tick()
	length := s.player.TickLength() // want `reacquire: s\.player\.mu is taken again here, after line 257, in one critical section of s\.mu; what the first passage reads of s\.player\.tick may be changed in between by \(\*Player\)\.Process`
	s.play(tick, tick+length)
}

func (s *Sequencer) ProcessOnce() {
	s.mu.Lock()
	defer s.mu.Unlock()
	tick, length := s.player.Advance()
	s.play(tick, tick+length)
}

// calfuzzer: an account.

type Account struct {
	mu      sync.Mutex
	balance int
}

func (a *Account) Balance() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.balance
}

func (a *Account) Deposit(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance += n
}

func (a *Account) Withdraw(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance -= n
}

func (a *Account) WithdrawUpTo(n int) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	n = min(n, a.balance)
	a.balance -= n
	return n
}

func (a *Account) CollectOnce(from *Account, n int) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	got := from.WithdrawUpTo(n)
	a.balance += got
	return got
}

// The context is a lock of another kind. Accounts among each other are in
// package known.

type Bank struct {
	mu    sync.Mutex
	total int
}

func (b *Bank) Transfer(from, to *Account, n int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if from.Balance() < n {
		return false
	}
	from.Withdraw(n) // want `reacquire: from\.mu is taken again here, after line 321, in one critical section of b\.mu; what the first passage reads of from\.balance may be changed in between by \(\*Account\)\.Deposit`
	to.Deposit(n)
	return true
}

func (b *Bank) Close(a *Account) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := a.Balance()
	b.total += n
	a.Withdraw(n) // want `reacquire: a\.mu is taken again here, after line 332, in one critical section of b\.mu; what the first passage reads of a\.balance may be changed in between by \(\*Account\)\.Deposit`
}

func (b *Bank) TransferOnce(from, to *Account, n int) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	got := from.WithdrawUpTo(n)
	to.Deposit(got)
	return got
}

// StringBuffer: append asks the other for its length, and then for its bytes.

type StringBuffer struct {
	mu  sync.Mutex
	buf []byte
}

func (b *StringBuffer) Len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.buf)
}

func (b *StringBuffer) GetChars(from, to int, dst []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	copy(dst, b.buf[from:to])
}

func (b *StringBuffer) SetLen(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.buf = b.buf[:n]
}

func (b *StringBuffer) Bytes() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]byte(nil), b.buf...)
}

func (b *StringBuffer) AppendOnce(o *StringBuffer) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.buf = append(b.buf, o.Bytes()...)
}

// One that hands out its bytes, and a context of another kind.

func (b *StringBuffer) Slice(from, to int) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]byte(nil), b.buf[from:to]...)
}

type Joiner struct {
	mu  sync.Mutex
	all []byte
}

func (j *Joiner) Append(o *StringBuffer) {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := o.Len()
	j.all = append(j.all, o.Slice(0, n)...) // want `reacquire: o\.mu is taken again here, after line 398, in one critical section of j\.mu; what the first passage reads of o\.buf may be changed in between by \(\*StringBuffer\)\.SetLen`
}

func (j *Joiner) AppendOnce(o *StringBuffer) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.all = append(j.all, o.Bytes()...)
}
