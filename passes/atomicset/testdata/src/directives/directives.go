// Package directives has directives that are wrong.
package directives

import "sync"

type fields struct {
	mu sync.Mutex /* want `directive: mu is a lock or the like, not a part` */ //atomvet:set fields

	a int /* want `directive: unknown directive "//atomvet:sett": there are` */                    //atomvet:sett fields
	b int /* want `directive: a directive has no space after the slashes: //atomvet:set fields` */ // atomvet:set fields
	c int /* want `directive: //atomvet:set takes one name` */                                     //atomvet:set
	d int /* want `directive: //atomvet:set takes one name` */                                     //atomvet:set one two
	e int /* want `directive: //atomvet:unit belongs to` */                                        //atomvet:unit
	f int /* want `directive: unknown directive "//atomvet:"` */                                   //atomvet:
	g int /* want `directive: unknown directive "//atomvet:Set"` */                                //atomvet:Set fields

	/* want `directive: rw is a lock` */ //atomvet:set locks
	rw                                   sync.RWMutex
}

// unit belongs to a function.
//
/* want `directive: //atomvet:unit belongs to the comment of a function` */ //atomvet:unit
type aType struct{ n int }

/* want `directive: //atomvet:set belongs to a field` */ //atomvet:set types
type another struct{ n int }

/* want `directive: //atomvet:set belongs to a field` */ //atomvet:set function
func function() {
	/* want `directive: //atomvet:set belongs to a field` */ //atomvet:set local
	var local int

	/* want `directive: //atomvet:unit belongs to` */ //atomvet:unit
	_ = local
}

/* want `directive: //atomvet:unitfor takes one name` */ //atomvet:unitfor
func noParameter(a int)                                  {}

/* want `directive: //atomvet:unitfor takes one name` */ //atomvet:unitfor a b
func twoParameters(a, b int)                             {}

/* want `directive: unknownParameter has no parameter b` */ //atomvet:unitfor b
func unknownParameter(a int)                                {}

//atomvet:unit
/* want `directive: both cannot be a unit of work and not be one` */ //atomvet:notunit
func both()                                                          {}

/* want `directive: //atomvet:unit takes nothing` */ //atomvet:unit because
func junk()                                          {}

/* want `directive: //atomvet:notunit takes nothing` */ //atomvet:notunit a
func junk2()                                            {}

/* want `directive: a directive has no space after the slashes` */ // atomvet:unit
func spaced()                                                      {}

/* want `directive: //atomvet:unit belongs to the comment of a function` */ //atomvet:unit

func detached() {}

/* want `directive: //atomvet:unit belongs to the comment of a function` */ //atomvet:unit
var variable int

/* want `directive: //atomvet:set belongs to a field` */ //atomvet:set group
var (
	one int
	two int
)

/* want `directive: //atomvet:set belongs to a field` */ //atomvet:set constant
const constant = 1

/* want `directive: //atomvet:set belongs to a field` */ //atomvet:set alias
type alias = int

type named int /* want `directive: //atomvet:set belongs to a field` */ //atomvet:set named

type face interface {
	/* want `directive: //atomvet:unit belongs to` */ //atomvet:unit
	Method()
}

var literal = func() {
	/* want `directive: //atomvet:notunit belongs to` */ //atomvet:notunit
}

// The word atomvet:set in a sentence is no directive, nor is "atomvet:unit".
// atomvet: is not one either.
func prose() {}

/* want `directive: a directive has no space after the slashes` */ // atomvet:unti
func spacedAndMisspelt()                                           {}

/* want `directive: lock is a lock` */ //atomvet:set locks
var lock sync.Mutex

type locks struct {
	mu *sync.Mutex    /* want `directive: mu is a lock` */             //atomvet:set locks
	wg sync.WaitGroup /* want `directive: wg is a lock or the like` */ //atomvet:set locks
	c  *sync.Cond     /* want `directive: c is a lock or the like` */  //atomvet:set locks
	o  sync.Once      /* want `directive: o is a lock or the like` */  //atomvet:set locks
	m  sync.Map       //atomvet:set locks
	my myMutex        //atomvet:set locks
}

type myMutex struct{ sync.Mutex }
