// Knownmain has what the analyzer gets wrong in programs.
package main

import "sync"

type pair struct {
	mu   sync.Mutex
	x, y int //atomvet:set pair
}

//atomvet:unit
func (p *pair) set(x, y int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.x = x
	p.y = y
}

func main() {
	results()
	helper()
}

//atomvet:unit
func (p *pair) afterResults() int {
	p.mu.Lock()
	x := p.x
	p.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	return x + p.y // FALSE: (*pair).afterResults is not: a loop may have no rounds, so none of the results is waited for
}

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
func (p *pair) afterHelper() int {
	p.mu.Lock()
	x := p.x
	p.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	return x + p.y // FALSE: (*pair).afterHelper is not: the WaitGroup has another name in each function
}

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
