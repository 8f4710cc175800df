// Package joins reads a pair apart in every function. What matters is where the
// two values come together.
package joins

import (
	"errors"
	"fmt"
	"io"
	"log"
	"sync"
)

type pair struct {
	mu   sync.Mutex
	a, b int

	// Elsewhere, under no lock.
	sum  int
	hist map[int]int
}

func (p *pair) Set(a, b int) {
	p.mu.Lock()
	p.a, p.b = a, b
	p.mu.Unlock()
}

func (p *pair) A() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.a
}

func (p *pair) B() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.b
}

// Both keeps them together.
func (p *pair) Both() (int, int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.a, p.b
}

// Together.

func Result(p *pair) int {
	return p.A() + p.B() // want `split-read: p\.a at line 50 and p\.b here are read apart, in separate critical sections`
}

func Results(p *pair) (int, int) {
	return p.A(), p.B() // want `split-read: p\.a at line 54 and p\.b here are read apart, in separate critical sections`
}

type point struct{ x, y int }

func Struct(p *pair) point {
	return point{x: p.A(), y: p.B()} // want `split-read: p\.a at line 60 and p\.b here are read apart, in separate critical sections`
}

func Pointer(p *pair) *point {
	pt := new(point)
	pt.x = p.A()
	pt.y = p.B() // want `split-read: p\.a at line 65 and p\.b here are read apart, in separate critical sections`
	return pt
}

func Slice(p *pair) []int {
	return []int{p.A(), p.B()} // want `split-read: p\.a at line 71 and p\.b here are read apart, in separate critical sections`
}

func Append(p *pair) []int {
	var out []int
	out = append(out, p.A())
	out = append(out, p.B()) // want `split-read: p\.a at line 76 and p\.b here are read apart, in separate critical sections`
	return out
}

func Map(p *pair) map[string]int {
	return map[string]int{"a": p.A(), "b": p.B()} // want `split-read: p\.a at line 82 and p\.b here are read apart, in separate critical sections`
}

func draw(x, y int) error {
	if x > y {
		return errors.New("empty")
	}
	return nil
}

func Call(p *pair) {
	if err := draw(p.A(), p.B()); err != nil { // want `split-read: p\.a at line 93 and p\.b here are read apart, in separate critical sections`
		panic(err)
	}
}

func Dynamic(p *pair, f func(int, int)) {
	f(p.A(), p.B()) // want `split-read: p\.a at line 99 and p\.b here are read apart, in separate critical sections`
}

func Method(p *pair, w io.WriterAt, buf []byte) {
	n := p.A()
	off := p.B() // want `split-read: p\.a at line 103 and p\.b here are read apart, in separate critical sections`
	w.WriteAt(buf[:n], int64(off))
}

func Send(p *pair, ch chan<- int) {
	ch <- p.A() * p.B() // want `split-read: p\.a at line 109 and p\.b here are read apart, in separate critical sections`
}

func SendStruct(p *pair, ch chan<- point) {
	ch <- point{p.A(), p.B()} // want `split-read: p\.a at line 113 and p\.b here are read apart, in separate critical sections`
}

func Store(p, q *pair) {
	a, b := p.A(), p.B() // want `split-read: p\.a at line 117 and p\.b here are read apart, in separate critical sections`
	q.sum = a - b
}

func Key(p, q *pair) {
	a, b := p.A(), p.B() // want `split-read: p\.a at line 122 and p\.b here are read apart, in separate critical sections`
	q.hist[a] = b
}

func Go(p *pair) {
	a, b := p.A(), p.B() // want `split-read: p\.a at line 127 and p\.b here are read apart, in separate critical sections`
	go draw(a, b)
}

func Decision(p *pair, done chan<- bool) {
	a, b := p.A(), p.B() // want `split-read: p\.a at line 132 and p\.b here are read apart, in separate critical sections`
	if a > 0 && b > 0 {
		done <- true
	}
}

func Difference(p *pair) error {
	a := p.A()
	b := p.B() // want `split-read: p\.a at line 139 and p\.b here are read apart, in separate critical sections`
	if a < b {
		return errors.New("too small")
	}
	return nil
}

func Nested(p *pair, stop func()) {
	a := p.A()
	b := p.B() // want `split-read: p\.a at line 148 and p\.b here are read apart, in separate critical sections`
	if a > 10 {
		if b > 10 {
			stop()
		}
	}
}

func Switch(p *pair, stop func()) {
	a := p.A()
	b := p.B() // want `split-read: p\.a at line 158 and p\.b here are read apart, in separate critical sections`
	switch {
	case a > b:
		stop()
	}
}

func Loop(p *pair, step func()) {
	n := p.A()
	m := p.B() // want `split-read: p\.a at line 167 and p\.b here are read apart, in separate critical sections`
	for range n * m {
		step()
	}
}

func Named(p *pair) (a, b int) {
	a = p.A()
	b = p.B() // want `split-read: p\.a at line 175 and p\.b here are read apart, in separate critical sections`
	return
}

// Through other functions.
func add(x, y int) int { return x + y }

func Through(p *pair) int {
	a := p.A()
	b := p.B() // want `split-read: p\.a at line 184 and p\.b here are read apart, in separate critical sections`
	return add(a, b)
}

// A decision that is kept in a part of a variable.

type verdict struct{ ok bool }

func Verdict(p *pair) (v verdict) {
	a := p.A()
	b := p.B() // want `split-read: p\.a at line 194 and p\.b here are read apart, in separate critical sections`
	if a < b {
		v.ok = true
	}
	return v
}

func Verdicts(p *pair) (ok [2]bool) {
	a := p.A()
	b := p.B() // want `split-read: p\.a at line 203 and p\.b here are read apart, in separate critical sections`
	if a < b {
		ok[1] = true
	}
	return ok
}

func NewVerdict(p *pair, to chan<- *verdict) {
	a := p.A()
	b := p.B() // want `split-read: p\.a at line 212 and p\.b here are read apart, in separate critical sections`
	v := &verdict{}
	if a < b {
		v.ok = true
	}
	to <- v
}

// Conversions to text that a program may rely on.
func Parsed(p *pair, parse func(string) int) int {
	a := p.A()
	b := p.B() // want `split-read: p\.a at line 223 and p\.b here are read apart, in separate critical sections`
	return parse(string(rune(a)) + string(rune(b)))
}

// What the two point to.

type rates struct {
	mu       sync.Mutex
	up, down *int
}

func (r *rates) Set(up, down *int) {
	r.mu.Lock()
	r.up, r.down = up, down
	r.mu.Unlock()
}

func (r *rates) Diff() int {
	r.mu.Lock()
	up := r.up
	r.mu.Unlock()
	r.mu.Lock()
	down := r.down // want `split-read: r\.up at line 243 and r\.down here are read apart, in separate critical sections`
	r.mu.Unlock()
	return *up - *down
}

// Not together.

func Apart(p *pair) {
	draw(p.A(), 0)
	draw(p.B(), 0)
}

func ApartSends(p *pair, ch chan<- int) {
	ch <- p.A()
	ch <- p.B()
}

func Unused(p *pair) int {
	p.A()
	return p.B()
}

func OneOfThem(p *pair) int {
	_ = p.A()
	b := p.B()
	return b
}

func Sequence(p *pair, stop func()) {
	if p.A() > 10 {
		stop()
	}
	if p.B() > 10 {
		stop()
	}
}

// Two decisions, in parts of one variable.
func Each(p *pair) (ok [2]bool) {
	a := p.A()
	if a > 10 {
		ok[0] = true
	}
	log.Print(a, p.B())
	return ok
}

// Only for people.

func Printed(p *pair) {
	fmt.Println(p.A(), p.B())
}

func Printf(p *pair) {
	fmt.Printf("%d of %d\n", p.A(), p.B())
}

func Logged(p *pair) {
	a, b := p.A(), p.B()
	log.Printf("%d of %d", a, b)
}

func Text(p *pair) string {
	return fmt.Sprintf("%d of %d", p.A(), p.B())
}

func Error(p *pair) error {
	return fmt.Errorf("only %d of %d", p.A(), p.B())
}

func Written(p *pair, w io.Writer) {
	fmt.Fprintf(w, "%d of %d\n", p.A(), p.B())
}

type level int

// A logger takes a message, and fields.
type field struct {
	key string
	val int
}

func num(key string, val int) field { return field{key, val} }

type logger struct{ out io.Writer }

func (l *logger) Info(msg string, fields ...field) {
	for _, f := range fields {
		fmt.Fprintln(l.out, msg, f.key, f.val)
	}
}

func (l *logger) Log(lv level, msg string, args ...any) {
	fmt.Fprintln(l.out, append([]any{lv, msg}, args...)...)
}

func Structured(p *pair, l *logger) {
	l.Info("pair", num("a", p.A()), num("b", p.B()))
}

func StructuredAny(p *pair, l *logger) {
	l.Log(1, "pair", "a", p.A(), "b", p.B())
}

// An error that says more.

func Limited(p *pair) error {
	a := p.A()
	if a > 10 {
		return fmt.Errorf("%d is too much, the other is %d", a, p.B())
	}
	return nil
}

// What is printed and also used.
func PrintedAndUsed(p *pair) int {
	a := p.A()
	b := p.B() // want `split-read: p\.a at line 362 and p\.b here are read apart, in separate critical sections`
	log.Println(a, b)
	return a * b
}

// A panic is an effect, but for its text.

func Panics(p *pair, want int) {
	a := p.A()
	b := p.B() // want `split-read: p\.a at line 371 and p\.b here are read apart, in separate critical sections`
	if a != b-want {
		panic("wrong pair")
	}
}

func PanicsWith(p *pair) {
	a := p.A()
	b := p.B() // want `split-read: p\.a at line 379 and p\.b here are read apart, in separate critical sections`
	panic(a * b)
}

func PanicsWithText(p *pair) {
	panic(fmt.Sprintf("%d of %d", p.A(), p.B()))
}

// A decision to log.

func Warns(p *pair) {
	a := p.A()
	b := p.B()
	if a < b {
		log.Print("too small")
	}
}

func WarnsOfOne(p *pair) {
	a := p.A()
	b := p.B()
	if a < b {
		log.Printf("%d is too small: %v", a, "at least "+fmt.Sprint(b))
	}
}

// Address is no text for people.
func Address(p *pair) string {
	return fmt.Sprintf("%d:%d", p.A(), p.B()) // want `split-read: p.a at line \d+ and p.b here`
}

// String describes the pair.
func (p *pair) String() string {
	return fmt.Sprintf("%d:%d", p.A(), p.B())
}

// AddressLogged is printed.
func AddressLogged(p *pair) {
	log.Print(fmt.Sprintf("%d:%d", p.A(), p.B()))
}

// Dials with a text for a machine.
func Dials(p *pair, dial func(string)) {
	a := p.A()
	b := p.B() // want `split-read: p.a at line \d+ and p.b here`
	dial(fmt.Sprintf("%d:%d", a, b))
}

type response struct{ header, body any }

func (r *response) Header() *response { return r }
func (r *response) Set(v int)         { r.header = v }
func (r *response) Write(v int)       { r.body = v }

// Builds puts both into one object.
func Builds(p *pair, r *response) {
	r.Write(p.A())
	r.Header().Set(p.B()) // want `split-read: p.a at line \d+ and p.b here .* both reach one object`
}

// BuildsTwo puts them into two.
func BuildsTwo(p *pair, r, s *response) {
	r.Write(p.A())
	s.Header().Set(p.B())
}
