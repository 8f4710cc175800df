package table

import "io"

type blockIterator struct {
	data  []byte
	idx   int // Idx of the entry inside a block
	err   error
	val   []byte
	block *block
}

func (itr *blockIterator) setBlock(b *block) {
	// Decrement the ref for the old block. If the old block was compressed, we
	// might be able to reuse it.
	itr.block.decrRef()

	itr.block = b
	itr.err = nil
	itr.idx = 0
	itr.data = b.data
	itr.val = nil
}

// setIdx sets the iterator to the entry at index i and set its value.
func (itr *blockIterator) setIdx(i int) {
	itr.idx = i
	if i < 0 || (i+1)*entrySize > len(itr.data) {
		itr.err = io.EOF
		return
	}
	itr.err = nil
	itr.val = itr.data[i*entrySize : (i+1)*entrySize]
}

// Iterator is an iterator for a Table. It is used by one goroutine.
type Iterator struct {
	t    *Table
	bpos int
	bi   blockIterator
	err  error
}

// NewIterator returns a new iterator of the Table
func (t *Table) NewIterator() *Iterator {
	t.IncrRef() // Important.
	ti := &Iterator{t: t}
	ti.seekHelper(0)
	return ti
}

// Close closes the iterator (and it must be called).
func (itr *Iterator) Close() error {
	itr.bi.block.decrRef()
	return itr.t.DecrRef()
}

// Valid reports if there is an entry.
func (itr *Iterator) Valid() bool {
	return itr.err == nil
}

// Value returns the entry; it is valid until the next call of Next.
func (itr *Iterator) Value() []byte {
	return itr.bi.val
}

func (itr *Iterator) seekHelper(blockIdx int) {
	itr.bpos = blockIdx
	if blockIdx >= len(itr.t.blockIndex) {
		itr.err = io.EOF
		return
	}
	block, err := itr.t.block(blockIdx)
	if err != nil {
		itr.err = err
		return
	}
	itr.bi.setBlock(block)
	itr.bi.setIdx(0)
	itr.err = itr.bi.err
}

// Next goes to the next entry.
func (itr *Iterator) Next() {
	itr.bi.setIdx(itr.bi.idx + 1)
	if itr.err = itr.bi.err; itr.err != nil {
		itr.seekHelper(itr.bpos + 1)
	}
}
