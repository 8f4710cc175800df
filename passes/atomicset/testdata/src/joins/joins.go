// Joins starts goroutines in many ways, and waits for some of them: what comes
// after that is not concurrent with them.
package main

import (
	"sync"
	"time"
)

type pair struct {
	mu   sync.Mutex
	wg   sync.WaitGroup
	done chan struct{}
	x, y int //atomvet:set pair
}

// set is one step.
//
//atomvet:unit
func (p *pair) set(x, y int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.x = x
	p.y = y
}

func main() {
	none()
	late()
	before()
	local()
	method()
	field()
	closed()
	closedField()
	fieldNot()
	fewResults()
	loop()
	loopEarly()
	other()
	sometimes()
	paramNot(new(pair))
	param(new(pair))
}

//atomvet:unit
func (p *pair) afterNothing() int {
	p.mu.Lock()
	x := p.x
	p.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	return x + p.y // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*pair\)\.afterNothing is not .*, if \(\*pair\)\.set comes`
}

func none() {
	p := new(pair)
	go p.set(1, 2)
	p.afterNothing()
}

//atomvet:unit
func (p *pair) afterSleep() int {
	p.mu.Lock()
	x := p.x
	p.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	return x + p.y // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*pair\)\.afterSleep is not .*, if \(\*pair\)\.set comes`
}

func late() {
	p := new(pair)
	go p.set(1, 2)
	time.Sleep(time.Second)
	p.afterSleep()
}

//atomvet:unit
func (p *pair) beforeStart() int {
	p.mu.Lock()
	x := p.x
	p.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	return x + p.y
}

func before() {
	p := new(pair)
	p.beforeStart()
	go p.set(1, 2)
}

//atomvet:unit
func (p *pair) afterLocal() int {
	p.mu.Lock()
	x := p.x
	p.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	return x + p.y
}

func local() {
	p := new(pair)
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		p.set(1, 2)
	}()
	wg.Wait()
	p.afterLocal()
}

//atomvet:unit
func (p *pair) afterGo() int {
	p.mu.Lock()
	x := p.x
	p.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	return x + p.y
}

func method() {
	p := new(pair)
	var wg sync.WaitGroup
	wg.Go(func() { p.set(1, 2) })
	wg.Wait()
	p.afterGo()
}

//atomvet:unit
func (p *pair) afterField() int {
	p.mu.Lock()
	x := p.x
	p.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	return x + p.y
}

func field() {
	p := new(pair)
	p.wg.Add(1)
	go p.work()
	p.wg.Wait()
	p.afterField()
}

func (p *pair) work() {
	p.set(1, 2)
	p.wg.Done()
}

//atomvet:unit
func (p *pair) afterClose() int {
	p.mu.Lock()
	x := p.x
	p.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	return x + p.y
}

func closed() {
	p := new(pair)
	done := make(chan struct{})
	go func() {
		p.set(1, 2)
		close(done)
	}()
	<-done
	p.afterClose()
}

//atomvet:unit
func (p *pair) afterCloseField() int {
	p.mu.Lock()
	x := p.x
	p.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	return x + p.y
}

func closedField() {
	p := &pair{done: make(chan struct{})}
	go p.signal()
	<-p.done
	p.afterCloseField()
}

func (p *pair) signal() {
	defer close(p.done)
	p.set(1, 2)
}

//atomvet:unit
func (p *pair) afterOneResult() int {
	p.mu.Lock()
	x := p.x
	p.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	return x + p.y // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*pair\)\.afterOneResult is not .*, if \(\*pair\)\.set comes`
}

func fewResults() {
	p := new(pair)
	result := make(chan int, 3)
	for range 3 {
		go func() {
			p.set(1, 2)
			result <- 1
		}()
	}
	<-result
	p.afterOneResult()
}

//atomvet:unit
func (p *pair) afterLoop() int {
	p.mu.Lock()
	x := p.x
	p.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	return x + p.y
}

func loop() {
	p := new(pair)
	var wg sync.WaitGroup
	for range 3 {
		wg.Add(1)
		go func() {
			p.set(1, 2)
			wg.Done()
		}()
	}
	wg.Wait()
	p.afterLoop()
}

//atomvet:unit
func (p *pair) afterEarlyDone() int {
	p.mu.Lock()
	x := p.x
	p.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	return x + p.y // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*pair\)\.afterEarlyDone is not .*, if \(\*pair\)\.set comes`
}

func loopEarly() {
	p := new(pair)
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		wg.Done()
		p.set(1, 2)
	}()
	wg.Wait()
	p.afterEarlyDone()
}

//atomvet:unit
func (p *pair) afterOther() int {
	p.mu.Lock()
	x := p.x
	p.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	return x + p.y // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*pair\)\.afterOther is not .*, if \(\*pair\)\.set comes`
}

func other() {
	p := new(pair)
	var one, two sync.WaitGroup
	one.Add(1)
	go func() {
		defer one.Done()
		p.set(1, 2)
	}()
	two.Wait()
	p.afterOther()
}

//atomvet:unit
func (p *pair) afterSome() int {
	p.mu.Lock()
	x := p.x
	p.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	return x + p.y // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*pair\)\.afterSome is not .*, if \(\*pair\)\.set comes`
}

func sometimes() {
	p := new(pair)
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		p.set(1, 2)
	}()
	if time.Now().IsZero() {
		wg.Wait()
	}
	p.afterSome()
}

//atomvet:unit
func (p *pair) afterParam() int {
	p.mu.Lock()
	x := p.x
	p.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	return x + p.y
}

// param gets an object that main has made.
func param(p *pair) {
	var wg sync.WaitGroup
	wg.Go(func() { p.set(1, 2) })
	wg.Wait()
	p.afterParam()
}

//atomvet:unit
func (p *pair) afterParamNot() int {
	p.mu.Lock()
	x := p.x
	p.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	return x + p.y // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*pair\)\.afterParamNot is not .*, if \(\*pair\)\.set comes`
}

func paramNot(p *pair) {
	var wg sync.WaitGroup
	wg.Go(func() { p.set(1, 2) })
	p.afterParamNot()
	wg.Wait()
}

//atomvet:unit
func (p *pair) afterFieldNot() int {
	p.mu.Lock()
	x := p.x
	p.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	return x + p.y // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*pair\)\.afterFieldNot is not .*, if \(\*pair\)\.set comes`
}

func fieldNot() {
	p := new(pair)
	p.wg.Add(1)
	go p.work()
	p.afterFieldNot()
}
