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

func (p *pair) getX() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.x
}

func (p *pair) getY() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.y
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
	results()
	fewResults()
	loop()
	loopEarly()
	other()
	sometimes()
	helper()
	param(new(pair))
}

//atomvet:unit
func (p *pair) afterNothing() int { return p.getX() + p.getY() }

func none() {
	p := new(pair)
	go p.set(1, 2)
	p.afterNothing()
}

//atomvet:unit
func (p *pair) afterSleep() int { return p.getX() + p.getY() }

func late() {
	p := new(pair)
	go p.set(1, 2)
	time.Sleep(time.Second)
	p.afterSleep()
}

//atomvet:unit
func (p *pair) beforeStart() int { return p.getX() + p.getY() }

func before() {
	p := new(pair)
	p.beforeStart()
	go p.set(1, 2)
}

//atomvet:unit
func (p *pair) afterLocal() int { return p.getX() + p.getY() }

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
func (p *pair) afterGo() int { return p.getX() + p.getY() }

func method() {
	p := new(pair)
	var wg sync.WaitGroup
	wg.Go(func() { p.set(1, 2) })
	wg.Wait()
	p.afterGo()
}

//atomvet:unit
func (p *pair) afterField() int { return p.getX() + p.getY() }

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
func (p *pair) afterClose() int { return p.getX() + p.getY() }

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
func (p *pair) afterCloseField() int { return p.getX() + p.getY() }

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
func (p *pair) afterResults() int { return p.getX() + p.getY() }

func results() {
	p := new(pair)
	result := make(chan int)
	for range 3 {
		go func() {
			p.set(1, 2)
			result <- 1
		}()
	}
	for range 3 {
		<-result
	}
	p.afterResults()
}

//atomvet:unit
func (p *pair) afterOneResult() int { return p.getX() + p.getY() }

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
func (p *pair) afterLoop() int { return p.getX() + p.getY() }

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
func (p *pair) afterEarlyDone() int { return p.getX() + p.getY() }

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
func (p *pair) afterOther() int { return p.getX() + p.getY() }

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
func (p *pair) afterSome() int { return p.getX() + p.getY() }

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
func (p *pair) afterHelper() int { return p.getX() + p.getY() }

func helper() {
	p := new(pair)
	var wg sync.WaitGroup
	begin(&wg, p)
	end(&wg)
	p.afterHelper()
}

func begin(wg *sync.WaitGroup, p *pair) {
	wg.Add(1)
	go func() {
		defer wg.Done()
		p.set(1, 2)
	}()
}

func end(wg *sync.WaitGroup) { wg.Wait() }

//atomvet:unit
func (p *pair) afterParam() int { return p.getX() + p.getY() }

// param gets an object that main has made.
func param(p *pair) {
	var wg sync.WaitGroup
	wg.Go(func() { p.set(1, 2) })
	wg.Wait()
	p.afterParam()
}
