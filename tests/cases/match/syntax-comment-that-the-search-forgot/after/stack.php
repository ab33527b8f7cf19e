<?php

class Stack
{
    /**
     * Puts a handler on top.
     */
    public function push(Handler $handler): self
    {
        array_unshift($this->handlers, $handler);

        return $this;
    }

    public function isEmpty(): bool
    {
        return $this->handlers === [];
    }

    /**
     * Takes the topmost handler off.
     *
     * @throws \LogicException if there is none
     */
    public function pop(): Handler
    {
        if (!$this->handlers) {
            throw new \LogicException('The stack is empty.');
        }

        return array_shift($this->handlers);
    }

    // How deep a stack may grow
    // (the kernel has the same limit).
    private const LIMIT = 128;
}
