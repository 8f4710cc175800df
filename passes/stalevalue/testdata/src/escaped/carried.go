package escaped

import (
	"fmt"
	"sync"
)

// A Depot gives its tables away in other things.
type Depot struct {
	mu    sync.Mutex
	stock map[string]int
	lots  []string
	plan  []string
	old   map[string]int
	out   chan map[string]int
	all   chan Report
}

type Report struct {
	Stock map[string]int
	stock map[string]int
	depot *Depot
	n     int
}

func (d *Depot) Set(k string, n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stock[k] = n
}

// Turn replaces the table as a whole, and the plan.
func (d *Depot) Turn(next map[string]int, plan []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.old = next
	d.plan = append([]string(nil), plan...)
}

// Sell shifts the lots behind one.
func (d *Depot) Sell(i int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lots = append(d.lots[:i], d.lots[i+1:]...)
}

func (d *Depot) Report() Report {
	d.mu.Lock()
	defer d.mu.Unlock()
	return Report{Stock: d.stock, n: 1} // want `escape-ref: d.stock was taken at line \d+ under d.mu and is returned here to callers without that lock`
}

func (d *Depot) ReportOf() *Report {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := &Report{n: 2}
	r.Stock = d.stock
	return r // want `escape-ref: d.stock was taken`
}

// Copy gives a table of its own.
func (d *Depot) Copy() Report {
	d.mu.Lock()
	defer d.mu.Unlock()
	stock := make(map[string]int, len(d.stock))
	for k, n := range d.stock {
		stock[k] = n
	}
	return Report{Stock: stock}
}

// Hidden is for the package, which can take the lock.
func (d *Depot) Hidden() Report {
	d.mu.Lock()
	defer d.mu.Unlock()
	return Report{stock: d.stock}
}

// Cursor leads back to the lock.
func (d *Depot) Cursor() Report {
	d.mu.Lock()
	defer d.mu.Unlock()
	return Report{Stock: d.stock, depot: d}
}

// Old is only replaced.
func (d *Depot) Old() Report {
	d.mu.Lock()
	defer d.mu.Unlock()
	return Report{Stock: d.old}
}

func (d *Depot) Send() {
	d.mu.Lock()
	stock := d.stock
	d.mu.Unlock()
	d.out <- stock // want `escape-ref: d.stock was taken at line \d+ under d.mu and is sent here to receivers without that lock`
}

func (d *Depot) Offer() {
	d.mu.Lock()
	defer d.mu.Unlock()
	select { // want `escape-ref: d.stock was taken at line \d+ under d.mu and is sent here`
	case d.all <- Report{Stock: d.stock}:
	default:
	}
}

// SendOld sends what is only replaced.
func (d *Depot) SendOld() {
	d.mu.Lock()
	old := d.old
	d.mu.Unlock()
	d.out <- old
}

func (d *Depot) locked(f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f()
}

func (d *Depot) Stock() (stock map[string]int) {
	d.locked(func() { stock = d.stock })
	return stock // want `escape-ref: d.stock was taken`
}

func (d *Depot) Total() (n int) {
	var stock map[string]int
	d.locked(func() { stock = d.stock })
	for _, k := range stock { // want `escape-ref: d.stock was taken`
		n += k
	}
	return n
}

// TotalInside looks within the section.
func (d *Depot) TotalInside() (n int) {
	d.locked(func() {
		stock := d.stock
		for _, k := range stock {
			n += k
		}
	})
	return n
}

// sum is a call in the literal whose result is a container of its own.
func (d *Depot) keys() []string {
	var out []string
	for k := range d.stock {
		out = append(out, k)
	}
	return out
}

func (d *Depot) Keys() (n int) {
	var keys []string
	d.locked(func() { keys = d.keys() })
	for range keys {
		n++
	}
	return n
}

func (d *Depot) Print() {
	d.mu.Lock()
	stock := d.stock
	d.mu.Unlock()
	fmt.Println(stock) // want `escape-ref: d.stock was taken`
}

func (d *Depot) Lots() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.lots // want `escape-ref: d.lots was taken`
}

// Plan is only ever a copy.
func (d *Depot) Plan() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.plan
}

// PrintNumber prints a number.
func (d *Depot) PrintNumber() {
	d.mu.Lock()
	n := len(d.stock)
	d.mu.Unlock()
	fmt.Println(n)
}
