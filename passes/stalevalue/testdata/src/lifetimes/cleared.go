package lifetimes

import "sync"

// A Ward has patients, whose chart is taken away when they leave.
type Ward struct {
	mu       sync.Mutex
	patients map[int]*patient
}

type patient struct {
	id    int
	mu    sync.Mutex
	gone  bool
	chart *chart
}

type chart struct{ pages int }

func (w *Ward) Admit(id int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.patients[id] = &patient{id: id, chart: new(chart)}
}

func (w *Ward) discharge(p *patient) {
	w.mu.Lock()
	delete(w.patients, p.id)
	w.mu.Unlock()
	p.mu.Lock()
	p.gone = true
	p.chart = nil
	p.mu.Unlock()
}

func (w *Ward) Discharge(id int) {
	w.mu.Lock()
	p := w.patients[id]
	w.mu.Unlock()
	if p != nil {
		w.discharge(p)
	}
}

// Pages follows a chart that may have been taken away.
func (w *Ward) Pages(id int) int {
	w.mu.Lock()
	p := w.patients[id]
	w.mu.Unlock()
	if p == nil {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.chart.pages // want `check-then-act: w.patients\[id\] was found at line \d+, but w.mu was released at line \d+; \(\*Ward\).discharge \(.*\) may take it out and clear patient.chart in between, and what is read here is followed without a test`
}

// PagesIfThere asks whether the patient is gone.
func (w *Ward) PagesIfThere(id int) int {
	w.mu.Lock()
	p := w.patients[id]
	w.mu.Unlock()
	if p == nil {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone {
		return 0
	}
	return p.chart.pages
}

// PagesTested tests the chart.
func (w *Ward) PagesTested(id int) int {
	w.mu.Lock()
	p := w.patients[id]
	w.mu.Unlock()
	if p == nil {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.chart; c != nil {
		return c.pages
	}
	return 0
}

// PagesLooked looks at the chart twice, under the lock of the patient.
func (w *Ward) PagesLooked(id int) int {
	w.mu.Lock()
	p := w.patients[id]
	w.mu.Unlock()
	if p == nil {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.chart != nil {
		return p.chart.pages
	}
	return 0
}

// TakeChart tests the chart and clears it in one section.
func (w *Ward) TakeChart(id int) int {
	w.mu.Lock()
	p := w.patients[id]
	w.mu.Unlock()
	if p == nil {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	if p.chart != nil {
		n = p.chart.pages
		p.chart = nil
	}
	return n
}

// A Pool of lines has an interface that is set to nil in a line that was taken out.
type Pool struct {
	mu    sync.Mutex
	lines map[string]*poolLine
}

type poolLine struct {
	mu   sync.Mutex
	sock interface{ Send(string) }
}

func (p *Pool) Connect(name string, sock interface{ Send(string) }) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lines[name] = &poolLine{sock: sock}
}

func (p *Pool) line(name string) *poolLine {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lines[name]
}

func (p *Pool) Send(name, text string) {
	l := p.line(name)
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sock.Send(text) // want `check-then-act: p\.lines\[name\] was found at line \d+; \(\*Pool\)\.Evict .* may take it out and clear poolLine\.sock in between, and what is read here is followed without a test`
}

// SendIf tests it.
func (p *Pool) SendIf(name, text string) {
	l := p.line(name)
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sock != nil {
		l.sock.Send(text)
	}
}

func (p *Pool) Evict(name string) {
	p.mu.Lock()
	l := p.lines[name]
	delete(p.lines, name)
	p.mu.Unlock()
	if l == nil {
		return
	}
	l.mu.Lock()
	l.sock = nil
	l.mu.Unlock()
}

func (l *poolLine) ready() bool { return l.sock != nil }

// SendReady asks a helper in the section in which it reads the interface.
func (p *Pool) SendReady(name, text string) {
	l := p.line(name)
	if l == nil {
		return
	}
	l.mu.Lock()
	ready := l.ready()
	sock := l.sock
	l.mu.Unlock()
	if ready {
		sock.Send(text)
	}
}
