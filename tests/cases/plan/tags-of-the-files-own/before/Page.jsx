const page = (<div><Content>
<Hello/>
</Content></div>);
